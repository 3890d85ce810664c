// Texts for owners about the end of a run, by hint code, as listed in docs/hints.md.

export type HintValues = Record<string, string | number>;

/** The first whose <names> all have values is used; the last needs none that may be missing. */
export const hintTexts = {
  oom: ['The bot used up its <memory_mb> MB of memory: give it more memory, or let it use less'],
  heap: [
    'The program got no more memory within the <memory_mb> MB of the bot: give it more memory, or let it use less',
  ],
  disk_full: ['The disk of the bot is full: delete files that it no longer needs'],
  threads: ['The limit of <pids_limit> processes and threads is reached: let the program start fewer of them'],
  not_found: [
    'The command "<command>" was not found: correct it, or install what it runs',
    'The command was not found: correct it, or install what it runs',
  ],
  not_executable: [
    '"<file>" cannot be run: it must be executable (chmod +x) and made for this system',
    'The command cannot be run: its file must be executable (chmod +x) and made for this system',
  ],
  file_missing: [
    'The file "<file>" was not found (upper and lower case count): upload it, or correct its name',
    'A file was not found (upper and lower case count): upload it, or correct its name',
  ],
  module_node: [
    'The package "<module>" is not installed: add it to package.json and install it',
    'A package is not installed: add it to package.json and install it',
  ],
  module_python: [
    'The module "<module>" is not installed: add its package to requirements.txt and install it',
    'A module is not installed: add its package to requirements.txt and install it',
  ],
  module_java: [
    'The class or package "<module>" was not found: put it and its libraries into the jar or the class path',
    'A class was not found: put it and its libraries into the jar or the class path',
  ],
  module_go: [
    'The package "<module>" is not in go.mod: add it with go get',
    'A package is not in go.mod: add it with go get',
  ],
  module_rust: [
    'The crate "<module>" is not in Cargo.toml: add it with cargo add',
    'A crate is not in Cargo.toml: add it with cargo add',
  ],
  esm_cjs: ['The program mixes import and require: set "type" in package.json to "module" or "commonjs"'],
  native_module: [
    'The native part of "<module>" was built for another runtime or system: install the dependencies again here',
    'A native part of the program was built for another runtime or system: install the dependencies again here',
  ],
  java_version: [
    'The program was compiled for Java <java_version>, but runs on Java <runtime_version>: compile it for that',
  ],
  jar_manifest: [
    'The jar "<file>" names no main class: set Main-Class in its manifest, or name the class in the startup command',
    'The jar names no main class: set Main-Class in its manifest, or name the class in the startup command',
  ],
  discord_token: [
    'Discord refused the token: copy the token of the bot from the developer portal into the environment',
  ],
  discord_intents: [
    'The bot asks Discord for privileged intents: switch them on in the developer portal, or ask for fewer',
  ],
  discord_limit: ['The bot logged in to Discord too often: wait until its limit of the day is reset'],
  telegram_token: ['Telegram refused the token: copy the token that BotFather gave into the environment'],
  telegram_twice: [
    'Another program fetches the updates of this Telegram bot: stop the other one, or use another token',
  ],
  port_used: [
    'Port <port> is already in use by the bot itself: let it listen once, on the port that PORT names',
    'The port is already in use by the bot itself: let it listen once, on the port that PORT names',
  ],
  finished: ['The program ended by itself without an error: a bot has to keep running'],
} as const satisfies Record<string, readonly string[]>;

export type HintCode = keyof typeof hintTexts;
