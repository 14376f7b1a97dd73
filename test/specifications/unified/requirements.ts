import type { Document, MongoClient } from 'mongodb';
import type { Requirement, SpecificationFile, SpecificationTest } from './format.ts';

/** What tests may ask of the set that they run against. */
export interface Environment {
  readonly version: string;
  readonly parameters: Document;
  /** Nobody may do anything without a login. */
  readonly accessControl: boolean;
}

export async function environmentOf(client: MongoClient, accessControl: boolean): Promise<Environment> {
  const admin = client.db('admin');
  const { version } = await admin.command({ buildInfo: 1 });
  return { version, parameters: await admin.command({ getParameter: '*' }), accessControl };
}

/** Why a test is not for this set or this runner; undefined if it is. */
export function reasonToSkip(
  file: SpecificationFile,
  test: SpecificationTest,
  environment: Environment,
): string | undefined {
  if (test.skipReason !== undefined) return 'skipped by its authors';
  if (test.expectLogMessages) return "expects lines in the driver's log";
  if (test.expectTracingMessages) return "expects the driver's traces";
  return unmet(file.runOnRequirements, environment) ?? unmet(test.runOnRequirements, environment);
}

/** One of several has to be met. */
function unmet(requirements: readonly Requirement[] = [], environment: Environment): string | undefined {
  const reasons = requirements.map((requirement) => reasonAgainst(requirement, environment));
  return reasons.includes(undefined) ? undefined : reasons[0];
}

function reasonAgainst(
  requirement: Requirement,
  { version, parameters, accessControl }: Environment,
): string | undefined {
  const { minServerVersion, maxServerVersion, topologies, serverParameters = {} } = requirement;
  const { serverless, auth, authMechanism, csfle } = requirement;
  if (topologies && !topologies.includes('replicaset'))
    return `for topologies other than a replica set: ${topologies.join(', ')}`;
  if (authMechanism && !(parameters.authenticationMechanisms as string[]).includes(authMechanism))
    return `needs authentication by ${authMechanism}`;
  // Without access control clients log in all the same, which is all that the others ask for.
  if (auth === false && accessControl) return 'for sets without access control';
  if (csfle) return 'needs client-side encryption';
  if (serverless === 'require') return 'needs a serverless instance';
  if (minServerVersion && compareVersions(version, minServerVersion) < 0) return `for MongoDB from ${minServerVersion}`;
  if (maxServerVersion && compareVersions(version, maxServerVersion) > 0)
    return `for MongoDB up to ${maxServerVersion}`;
  for (const [name, value] of Object.entries(serverParameters)) {
    if (parameters[name] !== value) return `needs the parameter ${name}: ${value}`;
  }
  return undefined;
}

/** A part that is missing counts as 0, and of `99` in `8.0.99` any number is less. */
function compareVersions(a: string, b: string): number {
  const [x, y] = [a, b].map((version) => version.split('.').map(Number));
  for (const i of [0, 1, 2]) {
    const difference = (x?.[i] ?? 0) - (y?.[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
