// The version of this program, as package.json has it.
import packageJson from '../../../package.json' with { type: 'json' };

export const botelVersion: string = packageJson.version;
