// Firefox, with the words in which playwright-core drives Chromium: a test that is written for one
// runs in the other. Playwright's Firefox is a patched one; the distribution's speaks WebDriver
// BiDi, which puppeteer-core knows. What is here is what the tests call, no more. A selector is
// CSS with ":text-is('...')" or ":has-text('...')" behind any of its steps ("tr:has-text('a') td"),
// and " >> nth=N" at its end.
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
		newPage: async ({ viewport, deviceScaleFactor = 1, hasTouch = false, javaScriptEnabled = true } = {}) => {
			const page = await firefox.newPage();

			await page.setViewport({ ...viewport, deviceScaleFactor, hasTouch });
			if (!javaScriptEnabled)
				await page.setJavaScriptEnabled(false);
			page.setDefaultTimeout(300_000);
			return adapt(page, downloads);
		},
		close: () => firefox.close(),
	};
}

// In the page: the elements of a selector.
const finder = `(selector) => {
	const [, path, nth] = /^(.*?)(?: >> nth=(\\d+))?$/.exec(selector);
	/* CSS, then which text, its quote and the text itself, then CSS that begins with a combinator, ... */
	const [css, ...more] = path.split(/:(text-is|has-text)\\((["'])(.*?)\\2\\)/);
	let all = [...document.querySelectorAll(css)];

	for (let i = 0; i < more.length; i += 4) {
		const [kind, , text, below] = more.slice(i);

		all = all.filter(({ textContent }) => kind === "text-is" ? textContent.trim() === text : textContent.includes(text));
		if (below) {
			/* The document, so that what is no selector throws where nothing is left, too. */
			document.querySelector(":scope" + below);
			all = [...new Set(all.flatMap((one) => [...one.querySelectorAll(":scope" + below)]))];
		}
	}
	return nth ? all.slice(nth, Number(nth) + 1) : all;
}`;

const visible = (one) => one.getClientRects().length > 0 && getComputedStyle(one).visibility === "visible";

// Not with each picture that is drawn, as puppeteer-core does of itself: what is hidden draws none.
const polling = { polling: 50 };

// What can be asked of a page, and of a frame in it.
function adaptFrame(frame) {
	/* What @does with the elements of a selector. */
	const all = (selector, does, ...more) => frame.evaluate(
		`(${does})((${finder})(${JSON.stringify(selector)}), ...${JSON.stringify(more)})`);

	/* Until what is @seen of the elements of a selector is true. */
	async function waitFor(selector, seen) {
		/* What is no selector throws here: waitForFunction() takes an error for "not yet". */
		if (!await all(selector, seen))
			await frame.waitForFunction(`(${seen})((${finder})(${JSON.stringify(selector)}))`, polling);
	}

	return {
		all, waitFor,
		url: () => frame.url(),
		evaluate: (does, ...more) => frame.evaluate(does, ...more),
		waitForFunction: (does, ...more) => frame.waitForFunction(does, polling, ...more),
		waitForSelector: (selector, { state } = {}) => waitFor(selector,
			state === "attached" ? "(all) => all.length > 0" : `(all) => all.some(${visible})`),
	};
}

function adapt(page, downloads) {
	const { all, waitFor, ...asked } = adaptFrame(page);

	async function first(selector, does, ...more) {
		await waitFor(selector, "(all) => all.length > 0");
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

	/* In the middle of the first element, where it can be seen. */
	async function middleOf(selector) {
		await first(selector, (one) => one.scrollIntoView({ block: "nearest" }));

		const { x, y, width, height } = await boxOf(selector);

		return [x + width / 2, y + height / 2];
	}

	async function click(selector, { modifiers = [], ...options } = {}) {
		const at = await middleOf(selector);

		for (const key of modifiers)
			await page.keyboard.down(key);
		await page.mouse.click(...at, options);
		for (const key of modifiers)
			await page.keyboard.up(key);
	}

	/* Back or forward. puppeteer-core waits for a navigation, which a step within one document is not always. */
	function traverse(way) {
		const within = page.evaluate(() => new Promise((done) => {
			addEventListener("popstate", () => setTimeout(done), { once: true });
		}));
		const gone = page[way]();

		gone.catch(() => {});
		return Promise.race([gone, within.catch(() => gone)]);
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
		...asked,
		firefox: page,
		on: (event, does) => page.on(event, does),
		frames: () => page.frames().map(adaptFrame),
		goto: (address) => page.goto(address),
		goBack: () => traverse("goBack"),
		goForward: () => traverse("goForward"),
		close: () => page.close(),
		screenshot: (options) => page.screenshot(options),
		setViewportSize: (size) => page.setViewport({ ...page.viewport(), ...size }),
		addInitScript: (does) => page.evaluateOnNewDocument(does),
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
		tap: async (selector) => page.touchscreen.tap(...await middleOf(selector)),
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
