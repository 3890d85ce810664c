// Places in the code at which a test makes the process die, fail, freeze or hang. Costs a comparison unless a test has
// armed one (core/config/test-hooks.ts); core/config/failpoints.ts lists their names.

/** kill: SIGKILL. throw: an error. freeze: SIGSTOP, until a SIGCONT. hang: an await of the place never ends. */
export const failpointActions = ['kill', 'throw', 'freeze', 'hang'] as const;

/** The action happens when the place is reached for the `nth` time; `hang` also at every later one. */
export interface ArmedFailpoint {
  name: string;
  action: (typeof failpointActions)[number];
  nth: number;
}

let armed: ArmedFailpoint | null = null;

/** For the whole process. */
export function armFailpoint(point: ArmedFailpoint): void {
  armed = { ...point };
}

/** Marks a place; await it where possible, so that `hang` works. */
export function failpoint(name: string): undefined | Promise<never> {
  return armed === null ? undefined : reach(armed, name);
}

function reach(point: ArmedFailpoint, name: string): undefined | Promise<never> {
  if (point.name !== name || --point.nth > 0) return undefined;
  switch (point.action) {
    case 'hang':
      return new Promise(() => {});
    case 'throw':
      armed = null;
      throw new Error(`Failpoint ${name}`);
    case 'freeze':
    case 'kill':
      armed = null;
      process.kill(process.pid, point.action === 'kill' ? 'SIGKILL' : 'SIGSTOP');
      return undefined;
  }
}
