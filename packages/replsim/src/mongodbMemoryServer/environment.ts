import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Settings of mongodb-memory-server that come from outside its options. */
export interface Surroundings {
  readonly version: string | undefined;
  /** Names of variables and package.json keys that have no effect here. */
  readonly ignored: readonly string[];
}

/** Variables that do have an effect; `debugLine` reads the second. */
const HEARD = ['MONGOMS_VERSION', 'MONGOMS_DEBUG'];

/**
 * Reads `MONGOMS_…` variables, and `config.mongodbMemoryServer` of the nearest package.json that has it. Variables take precedence.
 * Upstream: util/resolveConfig.ts.
 */
export function readSurroundings(): Surroundings {
  const { version, ...others } = configOf(process.cwd());
  const variables = Object.keys(process.env).filter((name) => name.startsWith('MONGOMS_') && !HEARD.includes(name));
  const keys = Object.keys(others).map((key) => `package.json's config.mongodbMemoryServer.${key}`);
  const said = process.env.MONGOMS_VERSION ?? version;
  return { version: said === undefined ? undefined : String(said), ignored: [...variables.sort(), ...keys] };
}

function configOf(folder: string): Record<string, unknown> {
  const config = readConfig(join(folder, 'package.json'));
  if (config !== undefined) return config;
  const parent = dirname(folder);
  return parent === folder ? {} : configOf(parent);
}

/** Undefined if there is none, or if the package.json cannot be read; npm reports a broken one. */
function readConfig(file: string): Record<string, unknown> | undefined {
  try {
    const found = JSON.parse(readFileSync(file, 'utf8'))?.config?.mongodbMemoryServer;
    return typeof found === 'object' && found !== null && Object.keys(found).length > 0 ? found : undefined;
  } catch {
    return undefined;
  }
}
