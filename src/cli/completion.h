#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

/* The script that a shell completes our words by: "bash", "zsh" or "fish". An exit code. */
int print_completion(const char *shell);

#endif
