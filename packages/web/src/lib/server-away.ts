// Whether the server was unreachable at the last attempt. Set by the live connection, cleared by
// any response.
import { ValueStore } from './value-store.ts';

export const serverAway = new ValueStore(false);
