import { createHash } from 'node:crypto';

export interface Made {
  readonly name: string;
  readonly version: string;
  readonly tarball: Uint8Array;
  /** What fixes every dependency of the build. */
  readonly lockfile: Uint8Array;
  /** The commit that it was made of. */
  readonly commit: string;
  /** Whether files differed from that commit. */
  readonly changed: boolean;
  /** The releases of node and npm. */
  readonly tools: Readonly<Record<string, string>>;
}

/**
 * What a tarball was made of and how, as an in-toto statement with SLSA's provenance. Nobody has signed it: that is for whoever
 * publishes, by `npm publish --provenance`, which a CI server alone can do. It says what to compare a build of one's own with.
 */
export function statementOf({ name, version, tarball, lockfile, commit, changed, tools }: Made): object {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: `pkg:npm/${name}@${version}`, digest: { sha512: digest('sha512', tarball) } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'npm-run',
        externalParameters: { command: 'npm run release -- --pack' },
        internalParameters: { changedFiles: changed },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: digest('sha256', lockfile) } },
        ],
      },
      runDetails: { builder: { id: 'local', version: tools } },
    },
  };
}

function digest(algorithm: string, bytes: Uint8Array): string {
  return createHash(algorithm).update(bytes).digest('hex');
}
