// Botel's version, from package.json.
import packageJson from '../../../package.json' with { type: 'json' };

export const botelVersion: string = packageJson.version;
