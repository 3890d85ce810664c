// GET /version
import { version as versionData } from '@botel/contract/service';
import { botelVersion } from '../../core/config/version.ts';
import { defineRoute } from '../http/define-route.ts';

export const version = defineRoute({
  method: 'GET',
  url: '/version',
  summary: 'Version of the program and of the API',
  scope: null,
  data: versionData,
  async handle() {
    return { data: { version: botelVersion, api_version: 1 } };
  },
});
