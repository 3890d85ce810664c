// Places where a test can make the process die, fail, freeze or hang; core/config/failpoints.ts
// lists their names. Costs one comparison unless armed.

/** freeze: SIGSTOP, until a SIGCONT. hang: awaiting the failpoint never returns. */
export const failpointActions = ['kill', 'throw', 'freeze', 'hang'] as const;

/** Acts the `nth` time that the failpoint is reached; `hang` also at every later one. */
export interface ArmedFailpoint {
  name: string;
  action: (typeof failpointActions)[number];
  nth: number;
}

let armed: ArmedFailpoint | null = null;

/** Applies to the whole process. */
export function armFailpoint(point: ArmedFailpoint): void {
  armed = { ...point };
}

/** Marks a failpoint; await it where possible, so that `hang` works. */
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
