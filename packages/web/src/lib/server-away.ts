// Whether the server was out of reach when it was last tried: what would be sent to it can't be done then. The live connection
// notices, any answer takes it back.
import { ValueStore } from './value-store.ts';

export const serverAway = new ValueStore(false);
