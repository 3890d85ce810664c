// What programs say before they end, and what it means for their owner: texts and patterns, as data. Pure. Patterns are
// linear and take values by narrow classes of characters, so that no value can carry a line of the program.
// docs/hints.md lists the same codes and texts.
import type { Language } from '@botel/contract/vocabulary';
import { pidsLimit } from './languages.ts';

/** What a value may be computed from, besides the line. */
export interface HintFacts {
  language: Language;
  memoryMb: number;
}

export type HintValues = Record<string, string | number>;

/** Sentences per code. The first one is used whose <names> all have a value; the last one has none, or only sure ones. */
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

export interface HintRule {
  code: HintCode;
  /** Searched in one line; its named groups are the values. */
  pattern: RegExp;
  /** Only programs of these languages say it so. */
  languages?: readonly Language[];
  /** Means something else with any other exit code. */
  exitCode?: number;
  /** Makes the values of the groups, where they are not the same. */
  values?(groups: Record<string, string>, facts: HintFacts): HintValues;
}

const memory = (_: unknown, { memoryMb }: HintFacts) => ({ memory_mb: memoryMb });
const processes = (_: unknown, { language }: HintFacts) => ({ pids_limit: pidsLimit(language) });
const file = (name: string) => () => ({ file: name });
/** Class files of Java n have the version n + 44. */
const javaVersions = ({ needs, has }: Record<string, string>) => ({
  java_version: Number(needs) - 44,
  runtime_version: Number(has) - 44,
});

/** The first rule of this list that fits a line counts. */
export const hintRules: readonly HintRule[] = [
  // The machine's limits
  { code: 'disk_full', pattern: /\bENOSPC\b|\bEDQUOT\b|No space left on device|Disk quota exceeded/i },
  { code: 'threads', pattern: /can't start new thread|unable to create native thread/, values: processes },
  { code: 'threads', pattern: /pthread_create failed|failed to create new OS thread/, values: processes },
  { code: 'threads', pattern: /\bspawn \S{1,200} EAGAIN|^Error: EAGAIN$/, languages: ['nodejs'], values: processes },
  {
    code: 'threads',
    pattern: /(?:fork|BlockingIOError|pthread_create|failed to spawn thread).{0,100}Resource temporarily unavailable/i,
    values: processes,
  },
  { code: 'heap', pattern: /JavaScript heap out of memory/, languages: ['nodejs'], values: memory },
  { code: 'heap', pattern: /java\.lang\.OutOfMemoryError/, languages: ['java'], values: memory },
  { code: 'heap', pattern: /^(?:\w+\.)*MemoryError\b/, languages: ['python'], values: memory },
  {
    code: 'heap',
    pattern: /fatal error: (?:runtime: )?(?:cannot allocate|out of) memory/,
    languages: ['go'],
    values: memory,
  },
  { code: 'heap', pattern: /memory allocation of \d+ bytes failed/, languages: ['rust'], values: memory },

  // Files of the program
  { code: 'module_node', pattern: /Cannot find package '(?<module>[\w@./-]{1,100})'/, languages: ['nodejs'] },
  { code: 'file_missing', pattern: /Cannot find module '(?<file>\.{0,2}\/[\w@./ +-]{1,100})'/, languages: ['nodejs'] },
  { code: 'module_node', pattern: /Cannot find module '(?<module>[\w@./-]{1,100})'/, languages: ['nodejs'] },
  { code: 'file_missing', pattern: /Could not read package\.json: Error: ENOENT/, values: file('package.json') },
  { code: 'file_missing', pattern: /can't open file '(?<file>[\w@./ +-]{1,100})'/, languages: ['python'] },
  { code: 'module_python', pattern: /No module named '?(?<module>[\w.]{1,100})/, languages: ['python'] },
  { code: 'file_missing', pattern: /Unable to access jarfile (?<file>[\w@./ +-]{1,100})$/, languages: ['java'] },
  { code: 'file_missing', pattern: /ClassNotFoundException: (?<file>[\w./-]{1,95}\.java)$/, languages: ['java'] },
  {
    code: 'module_java',
    pattern: /(?:ClassNotFoundException|NoClassDefFoundError|find or load main class):? (?<module>[\w./$-]{1,100})/,
    languages: ['java'],
    values: ({ module = '' }) => ({ module: module.replaceAll('/', '.') }),
  },
  { code: 'module_java', pattern: /error: package (?<module>[\w.]{1,100}) does not exist/, languages: ['java'] },
  { code: 'file_missing', pattern: /^go: go\.mod file not found/, languages: ['go'], values: file('go.mod') },
  { code: 'file_missing', pattern: /\bno Go files in /, languages: ['go'], values: file('main.go') },
  { code: 'file_missing', pattern: /^stat (?<file>[\w@./ +-]{1,100}): no such file/, languages: ['go'] },
  {
    code: 'module_go',
    pattern:
      /(?:no required module provides|cannot find module providing|missing go\.sum entry for module providing) package (?<module>[\w./~-]{1,100})/,
    languages: ['go'],
    // What follows the package is a colon, a semicolon or a space; a full stop would belong to the sentence.
    values: ({ module = '' }) => ({ module: module.replace(/\.$/, '') }),
  },
  { code: 'module_go', pattern: /package (?<module>[\w./~-]{1,100}) is not in std/, languages: ['go'] },
  {
    code: 'file_missing',
    pattern: /could not find `Cargo\.toml` in /,
    languages: ['rust'],
    values: file('Cargo.toml'),
  },
  {
    code: 'file_missing',
    pattern: /no targets specified in the manifest/,
    languages: ['rust'],
    values: file('src/main.rs'),
  },
  { code: 'file_missing', pattern: /couldn't read `?(?<file>[\w@./ +-]{1,100})`?: No such file/, languages: ['rust'] },
  {
    code: 'module_rust',
    pattern:
      /(?:use of undeclared crate or module|unresolved module or unlinked crate|can't find crate for|no matching package named) `(?<module>[\w-]{1,100})`/,
    languages: ['rust'],
  },
  {
    code: 'esm_cjs',
    pattern:
      /Cannot use import statement outside a module|(?:require|module|exports|__dirname) is not defined in ES module scope/,
    languages: ['nodejs'],
  },
  {
    code: 'native_module',
    pattern:
      /(?:node_modules|site-packages)\/(?<module>(?:@[\w.-]{1,50}\/)?[\w.-]{1,100})\/.{0,300}(?:invalid ELF header|wrong ELF class)/,
  },
  {
    code: 'native_module',
    pattern:
      /NODE_MODULE_VERSION \d|invalid ELF header|wrong ELF class|Could not locate the bindings file|version `GLIBC\w*[\d.]*' not found/,
  },
  {
    code: 'java_version',
    pattern: /class file version (?<needs>\d{2,3})(?:\.\d+)?\), .{0,100} class file versions up to (?<has>\d{2,3})/,
    languages: ['java'],
    values: javaVersions,
  },
  { code: 'jar_manifest', pattern: /no main manifest attribute, in (?<file>[\w@./ +-]{1,100})$/, languages: ['java'] },

  // Services
  {
    code: 'discord_intents',
    pattern:
      /disallowed_?(?: ?gateway)? ?intents?\b|DisallowedGatewayIntents|PrivilegedIntentsRequired|\bclose(?:d with code)? 4014\b|Privileged intent provided is not enabled|requesting privileged intents/i,
  },
  {
    code: 'discord_token',
    pattern:
      /An invalid token was provided|\bTOKEN_INVALID\b|\bTokenInvalid\b|Improper token has been passed|\bclose(?:d with code)? 4004\b|Gateway\(InvalidAuthentication\)|Sent invalid authentication|InvalidTokenException|The provided token is invalid!|DiscordAPIError\[0\]: 401: Unauthorized/,
  },
  { code: 'discord_limit', pattern: /Not enough sessions remaining/ },
  { code: 'telegram_twice', pattern: /terminated by other getUpdates/ },
  {
    code: 'telegram_token',
    pattern:
      /(?:ETELEGRAM|TelegramError|getMe'? failed!).{0,10}(?:401: ?|401 )Unauthorized|(?:ETELEGRAM: 404|TelegramError: 404:|getMe' failed! \(404:) Not Found|Telegram server says - Unauthorized|telegram\.error\.(?:InvalidToken|Unauthorized)|TokenValidationError|error_code["']?: ?401|Error code: 401\. Description: Unauthorized|telegram: Unauthorized \(401\)|getting updates: \[401\] Unauthorized|Api\(InvalidToken\)/,
  },
  { code: 'port_used', pattern: /EADDRINUSE: address already in use \S{0,60}:(?<port>\d{1,5})$/ },
  { code: 'port_used', pattern: /bind on address \('[^']{0,60}', (?<port>\d{1,5})\): .{0,20}address already in use/i },
  { code: 'port_used', pattern: /listen tcp\d? \S{0,60}:(?<port>\d{1,5}): bind: address already in use/ },
  { code: 'port_used', pattern: /\bport (?<port>\d{1,5}) (?:is|was) (?:already )?in use/i },
  // Not the property of an error that names its port on another line.
  { code: 'port_used', pattern: /address already in use|\bEADDRINUSE\b(?!')/i },

  // The startup command
  { code: 'not_found', pattern: /\bexec (?:(?<command>[\w@./+-]{1,100})|\S{1,300}) failed: No such file or directory/ },
  {
    code: 'not_found',
    pattern: /(?:^|[\s:])(?<command>[\w@./+-]{1,100}): (?:command not found|not found|No such file or directory)$/,
    exitCode: 127,
  },
  {
    code: 'not_found',
    pattern: /env: [‘'](?<command>[\w@./+-]{1,100})[’']: No such file or directory$/,
    exitCode: 127,
  },
  {
    code: 'not_found',
    pattern: /exec: "(?<command>[\w@./+-]{1,100})": (?:executable file not found|stat \S{1,200} no such file)/,
  },
  {
    code: 'not_executable',
    pattern:
      /(?:^|[\s:])(?<file>[\w@./+-]{1,100}): (?:Permission denied|Is a directory|cannot execute|\S{1,100}: bad interpreter)/,
    exitCode: 126,
  },
  {
    code: 'not_executable',
    pattern: /\bexec (?:(?<file>[\w@./+-]{1,100})|\S{1,300}) failed: (?:Permission denied|Exec format error)/,
  },
  { code: 'not_executable', pattern: /exec: "(?<file>[\w@./+-]{1,100})": permission denied|exec format error/ },
];
