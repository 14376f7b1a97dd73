import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';

/** The mechanisms by which a client may show that it knows a password, the strongest first, as `saslSupportedMechs` lists them. */
export const SCRAM_MECHANISMS = ['SCRAM-SHA-256', 'SCRAM-SHA-1'] as const;
export type ScramMechanism = (typeof SCRAM_MECHANISMS)[number];

/** The hash of each, how long a salt is, and which parameter says how often a new password is hashed. Upstream: scram.h, scramMinSaltLength. */
export const SCRAM_SHAPES = {
  'SCRAM-SHA-256': { hash: sha256, saltBytes: 28, iterations: 'scramSHA256IterationCount', defaultIterations: 15_000 },
  'SCRAM-SHA-1': { hash: sha1, saltBytes: 16, iterations: 'scramIterationCount', defaultIterations: 10_000 },
} as const;

export function scramMechanism(name: string): ScramMechanism | undefined {
  return SCRAM_MECHANISMS.find((each) => each === name);
}

/** Those that `authenticationMechanisms` leaves on. */
export function enabledMechanisms(parameters: { texts(name: string): readonly string[] }): readonly ScramMechanism[] {
  const enabled = parameters.texts('authenticationMechanisms');
  return SCRAM_MECHANISMS.filter((mechanism) => enabled.includes(mechanism));
}
