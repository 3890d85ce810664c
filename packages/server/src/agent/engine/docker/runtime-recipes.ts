// What differs between the runtime images of the languages, as data; images/<language>/Dockerfile holds the rest.
// Must not do anything.
import type { Language } from '@botel/contract/vocabulary';

export interface RuntimeRecipe {
  /** The official image by version, pulled where a registry answers. */
  officialImages: Record<string, string>;
  /** How long a build takes on a small machine, for the owner who waits. */
  duration: string;
  /** Set only where the machine trusts authorities of its own: most programs take the system's list by themselves. */
  trustEnvironment: Record<string, string>;
}

/** Where the authorities that the machine trusts beside the public ones are in an image, in one file. */
const extraAuthorities = '/usr/local/share/botel/extra-ca.crt';
const allAuthorities = '/etc/ssl/certs/ca-certificates.crt';

export const runtimeRecipes: Record<Language, RuntimeRecipe> = {
  nodejs: {
    officialImages: { '24': 'node:24-trixie-slim', '22': 'node:22-trixie-slim', '20': 'node:20-trixie-slim' },
    duration: 'a few seconds',
    trustEnvironment: { NODE_EXTRA_CA_CERTS: extraAuthorities },
  },
  python: {
    officialImages: { '3.13': 'python:3.13-slim-trixie' },
    duration: 'about a quarter of a minute',
    trustEnvironment: { REQUESTS_CA_BUNDLE: allAuthorities },
  },
  java: {
    officialImages: { '25': 'eclipse-temurin:25-jdk', '21': 'eclipse-temurin:21-jdk' },
    duration: 'about half a minute',
    trustEnvironment: {},
  },
  go: {
    officialImages: { '1.24': 'golang:1.24-trixie' },
    duration: 'about half a minute',
    trustEnvironment: {},
  },
  rust: {
    officialImages: { '1.85': 'rust:1.85-slim-trixie' },
    duration: 'about a minute',
    trustEnvironment: {},
  },
};
