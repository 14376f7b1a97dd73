import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What mongodb-memory-server is told beside its options. */
export interface Surroundings {
  readonly version: string | undefined;
  /** Variables and keys that have no meaning here, as somebody would look for them. */
  readonly ignored: readonly string[];
}

/** Heard elsewhere: by `debugLine`. */
const HEARD = ['MONGOMS_VERSION', 'MONGOMS_DEBUG'];

/**
 * Reads `MONGOMS_…` and `config.mongodbMemoryServer` of the nearest package.json that has one; of two, the variable counts.
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

/** Undefined where there is none, or none that can be read: whose package.json is broken hears of it from npm. */
function readConfig(file: string): Record<string, unknown> | undefined {
  try {
    const found = JSON.parse(readFileSync(file, 'utf8'))?.config?.mongodbMemoryServer;
    return typeof found === 'object' && found !== null && Object.keys(found).length > 0 ? found : undefined;
  } catch {
    return undefined;
  }
}
