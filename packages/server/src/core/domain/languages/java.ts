// Java: built by the project's Maven or Gradle wrapper, else by javac.
import { type LanguageDefinition, memoryValues } from './language.ts';

/** Where compiled classes go, below the home. */
const classFolder = 'build/classes';

export const java: LanguageDefinition = {
  versions: ['25', '21'],
  // For the JVM's own threads.
  pidsLimit: 256,
  interpreters: ['java'],
  image: {
    officialImage: (version) => `eclipse-temurin:${version}-jdk`,
    buildDuration: 'about half a minute',
    trustEnvironment: {},
  },
  build: {
    plan(startupCommand, { names, manifests }) {
      const wrapper = names.has('mvnw')
        ? 'sh ./mvnw -B -q -DskipTests package'
        : names.has('gradlew')
          ? 'sh ./gradlew --no-daemon -q assemble'
          : null;
      if (wrapper) {
        const sources = [
          '.java',
          '.kt',
          '.kts',
          '.groovy',
          '.gradle',
          '.scala',
          'pom.xml',
          'gradle.properties',
          'src/',
        ];
        return { command: wrapper, inputs: manifests, sources };
      }
      // `java Bot.java` compiles by itself; a jar needs no compiler.
      if (/\.java(\s|$)/.test(startupCommand) || /-jar\s/.test(startupCommand)) return null;
      const classPath = `-cp "lib/*"`;
      const command =
        `mkdir -p ${classFolder} && ` +
        `find . -name '*.java' -not -path './${classFolder}/*' -print0 | xargs -0 -r javac -d ${classFolder} ${classPath}`;
      return { command, inputs: [], sources: ['.java'] };
    },
    manifests: [
      'pom.xml',
      'build.gradle',
      'build.gradle.kts',
      'settings.gradle',
      'settings.gradle.kts',
      'gradle.lockfile',
    ],
    inspected: [],
    sources: ['.java', '.kt'],
    generated: ['.gradle', '.m2', 'build', 'target'],
  },
  downloads: null,
  hints: [
    { code: 'heap', pattern: /java\.lang\.OutOfMemoryError/, values: memoryValues },
    { code: 'file_missing', pattern: /Unable to access jarfile (?<file>[\w@./ +-]{1,100})$/ },
    { code: 'file_missing', pattern: /ClassNotFoundException: (?<file>[\w./-]{1,95}\.java)$/ },
    {
      code: 'module_java',
      pattern: /(?:ClassNotFoundException|NoClassDefFoundError|find or load main class):? (?<module>[\w./$-]{1,100})/,
      values: ({ module = '' }) => ({ module: module.replaceAll('/', '.') }),
    },
    { code: 'module_java', pattern: /error: package (?<module>[\w.]{1,100}) does not exist/ },
    {
      code: 'java_version',
      pattern: /class file version (?<needs>\d{2,3})(?:\.\d+)?\), .{0,100} class file versions up to (?<has>\d{2,3})/,
      // Class files of Java n have the version n + 44.
      values: ({ needs, has }) => ({ java_version: Number(needs) - 44, runtime_version: Number(has) - 44 }),
    },
    { code: 'jar_manifest', pattern: /no main manifest attribute, in (?<file>[\w@./ +-]{1,100})$/ },
  ],
};
