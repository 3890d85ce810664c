// Reads the project files of other hosts, `discloud.config` and `squarecloud.app`: lines of
// KEY=value. Pure.

/** The fields Botel supports; null = not set. */
export interface HostConfig {
  /** The config file. */
  file: string;
  name: string | null;
  memoryMb: number | null;
  /** The entry file. */
  main: string | null;
  /** The whole command. */
  command: string | null;
}

/** The field names of each host. */
const hosts = {
  'discloud.config': { name: 'NAME', memory: 'RAM', main: 'MAIN', command: 'START' },
  'squarecloud.app': { name: 'DISPLAY_NAME', memory: 'MEMORY', main: 'MAIN', command: 'START' },
} as const;

export const hostFiles = Object.keys(hosts) as (keyof typeof hosts)[];
const minMb = 128;

export function readHostConfig(file: keyof typeof hosts, text: string): HostConfig {
  const values = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [, key = '', value = ''] = /^\s*([A-Za-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    const plain = value.replace(/^(["'])(.*)\1$/, '$2').trim();
    if (key !== '' && plain !== '') values.set(key.toUpperCase(), plain);
  }
  const names = hosts[file];
  const memory = Number.parseInt(values.get(names.memory) ?? '', 10);
  return {
    file,
    name: values.get(names.name) ?? null,
    memoryMb: Number.isSafeInteger(memory) && memory > 0 ? Math.max(minMb, memory) : null,
    main: values.get(names.main)?.replace(/^\.\//, '') ?? null,
    command: values.get(names.command) ?? null,
  };
}
