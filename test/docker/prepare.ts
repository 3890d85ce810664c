// Brings a bare machine to where tests in containers can run: an engine that answers and a
// runtime image of each language.
import { languages } from '@botel/contract/vocabulary';
import { DockerClient } from '../../packages/server/src/agent/engine/docker/client.ts';
import { RuntimeImages } from '../../packages/server/src/agent/engine/docker/runtime-images.ts';
import { setUpEngine } from '../../packages/server/src/cli/setup/set-up-engine.ts';
import { loadConfig } from '../../packages/server/src/core/config/config.ts';
import { languageDefinitions } from '../../packages/server/src/core/domain/languages/languages.ts';
import { checkoutPath } from '../../packages/server/src/core/lib/checkout.ts';

/** Where the engine's output and the files of image builds go; kept between runs. */
const cacheDirectory = checkoutPath('node_modules/.cache/botel-tests');

/** Resolves when both are there; prints what takes time. */
export async function prepareForTests(): Promise<void> {
  const config = loadConfig(process.env, checkoutPath());
  const progress = (text: string) => console.log(`   ${text}`);
  await setUpEngine({ ...config, dataDirectory: cacheDirectory, progress });
  const client = new DockerClient(config.dockerHost);
  try {
    const images = new RuntimeImages({
      client,
      source: 'build',
      imagesDirectory: checkoutPath('images'),
      cacheDirectory,
      extraCaFile: config.extraCaFile,
    });
    await Promise.all(
      languages.map((language) => {
        const [version] = languageDefinitions[language].versions;
        return images.find(language, version).then((found) => found ?? images.prepare(language, version, progress));
      }),
    );
  } finally {
    await client.close();
  }
}
