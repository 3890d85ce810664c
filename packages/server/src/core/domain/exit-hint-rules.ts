// Output patterns of any language and their hints. Patterns are linear; narrow character classes
// keep a value from capturing a whole line.
import { fileValue, type HintRule, processValues } from './languages/language.ts';

/** Limits of the machine; tried before the rules of the language. */
export const limitRules: readonly HintRule[] = [
  { code: 'disk_full', pattern: /\bENOSPC\b|\bEDQUOT\b|No space left on device|Disk quota exceeded/i },
  { code: 'threads', pattern: /can't start new thread|unable to create native thread/, values: processValues },
  { code: 'threads', pattern: /pthread_create failed|failed to create new OS thread/, values: processValues },
  {
    code: 'threads',
    pattern: /(?:fork|BlockingIOError|pthread_create|failed to spawn thread).{0,100}Resource temporarily unavailable/i,
    values: processValues,
  },
];

/** Tried after the rules of the language. */
export const generalRules: readonly HintRule[] = [
  // Files of the program
  { code: 'file_missing', pattern: /Could not read package\.json: Error: ENOENT/, values: fileValue('package.json') },
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
  // Does not match the property of an error that names its port on another line.
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
