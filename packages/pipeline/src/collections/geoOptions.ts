import { CELL_LEVELS, TWO_D_DEFAULTS } from '@replsim/geo';
import { CommandError } from '@replsim/protocol';
import type { Fields } from '../fields/fields.ts';
import { numberOf } from '../fields/values.ts';

/** The versions of a 2dsphere index that hold the same keys. */
const SPHERE_VERSIONS: ReadonlySet<number> = new Set([2, 3]);

/**
 * Checks what is special about geographic indexes. Errors: Location16800 and 16801 for a 2d field that is not the first and only one,
 * InvalidOptions 72 for `bits` and a square that cannot be, CannotCreateIndex 67 for a version that does not exist,
 * CommandNotSupported 115 for the first one, Location16747 to 16749 for levels of cells.
 * Upstream: expression_params.cpp, s2_access_method.cpp.
 * @param plugins what the key has in the places of directions
 */
export function checkGeographic(fields: Fields, plugins: readonly (string | undefined)[]): void {
  if (plugins.includes('2d')) checkPlane(fields, plugins);
  if (plugins.includes('2dsphere')) checkSphere(fields);
}

function checkPlane(fields: Fields, plugins: readonly (string | undefined)[]): void {
  if (plugins.filter((plugin) => plugin === '2d').length > 1) throw new CommandError(16800, "can't have 2 geo fields");
  if (plugins[0] !== '2d') throw new CommandError(16801, '2d has to be first in index');
  const bits = fields.number('bits') ?? TWO_D_DEFAULTS.bits;
  if (!(Number.isInteger(bits) && bits >= 1 && bits <= 32)) {
    throw new CommandError('InvalidOptions', `bits for hash must be > 0 and <= 32, but ${bits} bits were specified`);
  }
  const min = sideOf(fields, 'min', TWO_D_DEFAULTS.min);
  const max = sideOf(fields, 'max', TWO_D_DEFAULTS.max);
  if (min < max && Number.isFinite(min) && Number.isFinite(max)) return;
  const region = `[${min}, ${max}]`;
  throw new CommandError(
    'InvalidOptions',
    `region for hash must be valid and have positive area, but ${region} was specified`,
  );
}

function sideOf(fields: Fields, name: string, otherwise: number): number {
  const value = fields.rawValue(name);
  return value ? numberOf(value) : otherwise;
}

function checkSphere(fields: Fields): void {
  const version = fields.number('2dsphereIndexVersion') ?? 3;
  if (version === 1) {
    throw new CommandError('CommandNotSupported', '2dsphereIndexVersion 1 is not supported by replsim: leave it out');
  }
  if (!SPHERE_VERSIONS.has(version)) {
    const given = `{ 2dsphereIndexVersion : ${version} }`;
    throw new CommandError(
      'CannotCreateIndex',
      `unsupported geo index version ${given}, only support versions: [1,2,3]`,
    );
  }
  const coarsest = fields.number('coarsestIndexedLevel') ?? CELL_LEVELS.coarsest;
  const finest = fields.number('finestIndexedLevel') ?? CELL_LEVELS.finest;
  if (!(coarsest >= 0)) throw new CommandError(16747, 'coarsestIndexedLevel must be >= 0');
  if (!(finest <= 30)) throw new CommandError(16748, 'finestIndexedLevel must be <= 30');
  if (!(finest >= coarsest)) throw new CommandError(16749, 'finestIndexedLevel must be >= coarsestIndexedLevel');
}
