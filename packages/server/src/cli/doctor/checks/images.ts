// The runtime images: which languages can start at once, and which have to build their image first.
import { join } from 'node:path';
import { languages } from '@botel/contract/vocabulary';
import { DockerClient } from '../../../agent/engine/docker/client.ts';
import { RuntimeImages } from '../../../agent/engine/docker/runtime-images.ts';
import { languageDefinitions } from '../../../core/domain/languages/languages.ts';
import { checkoutPath } from '../../../core/lib/checkout.ts';
import { type Check, type Finding, fix, ok, warn } from '../check.ts';

export const images: Check = {
  name: 'images',
  async run(config) {
    if (config.engine === 'fake') return [ok('fake engine: no image is needed')];
    const client = new DockerClient(config.dockerHost);
    const runtimeImages = new RuntimeImages({
      client,
      source: config.imageSource,
      imagesDirectory: checkoutPath('images'),
      cacheDirectory: join(config.dataDirectory, 'cache'),
      extraCaFile: config.extraCaFile,
    });
    try {
      const missing: string[] = [];
      for (const language of languages) {
        const version = languageDefinitions[language].versions[0];
        if ((await runtimeImages.find(language, version)) === null) missing.push(`${language} ${version}`);
      }
      return [judgeImages(missing)];
    } catch (error) {
      return [fix(`cannot list the images: ${(error as Error).message}`, 'See the engine check.')];
    } finally {
      await client.close();
    }
  },
};

/** `missing`: language and version of images that are not on this machine. */
export function judgeImages(missing: string[]): Finding {
  if (missing.length === 0) return ok(`the images of ${languages.join(', ')} are ready`);
  return warn(
    `no image yet for ${missing.join(', ')}`,
    'Nothing to do: Botel makes each when the first bot of its language starts, which takes some minutes.',
  );
}
