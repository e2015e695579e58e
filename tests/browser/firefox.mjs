// Firefox, with the words in which playwright-core drives Chromium: a test that is written for one
// runs in the other. Playwright's Firefox is a patched one; the distribution's speaks WebDriver
// BiDi, which puppeteer-core knows. What is here is what the tests call, no more. A selector is
// CSS, with ":text-is('...')", ":has-text('...')" or " >> nth=N" at its end.
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

// Why there is no Firefox; "" where there is one.
export function whyNoFirefox() {
	if (!process.env.FIREFOX)
		return "no firefox-esr";
	try {
		createRequire(`${process.env.NODE_PATH}/`).resolve("puppeteer-core");
		return "";
	} catch {
		return "no puppeteer-core";
	}
}

// A browser with a home of its own in @folder.
export async function launchFirefox(folder) {
	const puppeteer = createRequire(`${process.env.NODE_PATH}/`)("puppeteer-core");
	const downloads = join(folder, "downloads"), home = join(folder, "home");

	mkdirSync(downloads, { recursive: true });
	mkdirSync(home, { recursive: true });

	const firefox = await puppeteer.launch({
		browser: "firefox", protocol: "webDriverBiDi", headless: true, timeout: 900_000,
		protocolTimeout: 900_000, executablePath: process.env.FIREFOX,
		env: { ...process.env, HOME: home, MOZ_HEADLESS: "1" },
		extraPrefsFirefox: {
			"browser.download.dir": downloads,
			"browser.download.folderList": 2,
			"browser.download.alwaysOpenPanel": false,
			"browser.helperApps.neverAsk.saveToDisk": "image/png,image/svg+xml,text/plain,text/csv",
			/* Not as the machine that the tests run on. */
			"ui.prefersReducedMotion": 0, "ui.systemUsesDarkTheme": 0,
		},
	});

	return {
		newPage: async ({ viewport, deviceScaleFactor = 1 } = {}) => {
			const page = await firefox.newPage();

			await page.setViewport({ ...viewport, deviceScaleFactor });
			page.setDefaultTimeout(900_000);
			return adapt(page, downloads);
		},
		close: () => firefox.close(),
	};
}

// In the page: the elements of a selector.
const finder = `(selector) => {
	const [, css, kind, text, nth] =
		/^(.*?)(?::(text-is|has-text)\\((?:"|')(.*)(?:"|')\\))?(?: >> nth=(\\d+))?$/.exec(selector);
	const all = [...document.querySelectorAll(css)].filter(({ textContent }) => !kind ||
		(kind === "text-is" ? textContent.trim() === text : textContent.includes(text)));

	return nth ? [all[nth]] : all;
}`;

function adapt(page, downloads) {
	const visible = (one) => one.getClientRects().length > 0 && getComputedStyle(one).visibility === "visible";
	/* What @does with the elements of a selector. */
	const all = (selector, does, ...more) => page.evaluate(
		`(${does})((${finder})(${JSON.stringify(selector)}), ...${JSON.stringify(more)})`);

	async function first(selector, does, ...more) {
		await page.waitForFunction(`(${finder})(${JSON.stringify(selector)}).length > 0`);
		return all(selector, `([one], ...more) => (${does})(one, ...more)`, ...more);
	}

	const boxOf = (selector) => first(selector, (one) => {
		const { x, y, width, height } = one.getBoundingClientRect();

		return { x, y, width, height };
	});
	const focus = (selector) => first(selector, (one) => one.focus());

	async function pressKeys(keys) {
		const some = keys.length > 1 ? keys.split("+") : [keys];

		for (const key of some.slice(0, -1))
			await page.keyboard.down(key);
		await page.keyboard.press(some.at(-1));
		for (const key of some.slice(0, -1).reverse())
			await page.keyboard.up(key);
	}

	async function click(selector, options) {
		await first(selector, (one) => one.scrollIntoView({ block: "nearest" }));

		const { x, y, width, height } = await boxOf(selector);

		await page.mouse.click(x + width / 2, y + height / 2, options);
	}

	const locator = (selector) => ({
		allTextContents: () => all(selector, "(all) => all.map((one) => one.textContent)"),
		count: () => all(selector, "(all) => all.length"),
		first: () => locator(`${selector} >> nth=0`),
		nth: (n) => locator(`${selector} >> nth=${n}`),
		boundingBox: () => boxOf(selector),
		click: (options) => click(selector, options),
	});

	return {
		firefox: page,
		on: (event, does) => page.on(event, does),
		url: () => page.url(),
		goto: (address) => page.goto(address),
		goBack: () => page.goBack(),
		goForward: () => page.goForward(),
		close: () => page.close(),
		screenshot: (options) => page.screenshot(options),
		setViewportSize: (size) => page.setViewport({ ...page.viewport(), ...size }),
		evaluate: (does, ...more) => page.evaluate(does, ...more),
		waitForFunction: (does, ...more) => page.waitForFunction(does, {}, ...more),
		waitForSelector: (selector, { state } = {}) => page.waitForSelector(selector, { visible: state === "visible" }),
		keyboard: {
			press: pressKeys,
			type: (text) => page.keyboard.type(text),
			down: (key) => page.keyboard.down(key),
			up: (key) => page.keyboard.up(key),
		},
		mouse: {
			move: (x, y, options) => page.mouse.move(x, y, options),
			click: (x, y, options) => page.mouse.click(x, y, options),
			down: (options) => page.mouse.down(options),
			up: (options) => page.mouse.up(options),
			wheel: (deltaX, deltaY) => page.mouse.wheel({ deltaX, deltaY }),
		},
		touchscreen: { tap: (x, y) => page.touchscreen.tap(x, y) },
		locator, click, focus,
		press: async (selector, keys) => {
			await focus(selector);
			await pressKeys(keys);
		},
		fill: (selector, text) => first(selector, (one, text) => {
			one.focus();
			one.value = text;
			one.dispatchEvent(new Event("input", { bubbles: true }));
		}, text),
		selectOption: (selector, value) => first(selector, (one, value) => {
			one.value = value;
			one.dispatchEvent(new Event("input", { bubbles: true }));
			one.dispatchEvent(new Event("change", { bubbles: true }));
		}, value),
		textContent: (selector) => first(selector, (one) => one.textContent),
		getAttribute: (selector, name) => first(selector, (one, name) => one.getAttribute(name), name),
		isDisabled: (selector) => first(selector, (one) => one.disabled),
		isVisible: (selector) => all(selector, `(all) => all.some(${visible})`),
		/* What comes of @act: { name, content }. */
		download: async (act) => {
			const before = new Set(readdirSync(downloads));
			const arrived = () => {
				const now = readdirSync(downloads).filter((name) => !before.has(name));

				return now.some((name) => name.endsWith(".part")) ? undefined : now[0];
			};
			const whole = (name) => name && readFileSync(join(downloads, name));

			await act();
			for (let content = whole(arrived()); ; content = whole(arrived())) {
				if (content?.length) {
					const name = arrived();

					rmSync(join(downloads, name));
					return { name, content };
				}
				await new Promise((resolve) => setTimeout(resolve, 50));
			}
		},
	};
}
