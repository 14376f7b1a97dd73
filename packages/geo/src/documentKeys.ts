/** What an index holds of the geometries of a document. Upstream: expression_keys_private.cpp, getS2Keys and get2DKeys. */
import { BsonType, type BsonValue, CommandError } from '@replsim/protocol';
import { badValue, elementsOf, isNested, numberOf } from './bsonValues.ts';
import { geoHashOf, type TwoDParameters } from './geoHash.ts';
import { storedGeometry } from './geoJson.ts';
import { cellValue } from './keyValues.ts';
import { type CellLevels, cellsOf } from './sphere.ts';

/** Upstream: expression_params.cpp: the levels whose cells are some 2000 km and some 110 m wide. */
export const CELL_LEVELS: CellLevels = { coarsest: 2, finest: 16 };

/**
 * The cells of the values at a path, each array taken for one value. None for null, `{}` or `[]` alone, which count as missing;
 * among other values they are no geometry, like anything else that is none. Throws BadValue 2 for what is none on the sphere.
 */
export function sphereKeys(values: readonly BsonValue[], levels: CellLevels): BsonValue[] {
  if (areMissing(values)) return [];
  const cells = new Set(values.flatMap((value) => cellsOf(shapesOf(value), levels)));
  return [...cells].map(cellValue);
}

/** Upstream gathers the values in a set, so that the same one several times is still one. */
function areMissing(values: readonly BsonValue[]): boolean {
  return new Set(values.map(({ type }) => type)).size === 1 && values.every(isEmpty);
}

function isEmpty(value: BsonValue): boolean {
  if (value.type === BsonType.null || value.type === BsonType.undefined) return true;
  return isNested(value) && elementsOf(value).length === 0;
}

function shapesOf(value: BsonValue) {
  const { shapes, position } = storedGeometry(value);
  if (shapes) return shapes;
  throw badValue(`Longitude/latitude is out of bounds, lng: ${position?.[0]} lat: ${position?.[1]}`);
}

/**
 * The squares of the values at a path: pairs of numbers, or arrays of such. Errors: Location13026 for coordinates that are no
 * numbers, 13027 for a point outside, 13068 for one number alone, 16804 for an array of something else.
 */
export function planarKeys(values: readonly BsonValue[], parameters: TwoDParameters): BsonValue[] {
  return values.filter(isNested).flatMap((value) => {
    const elements = elementsOf(value);
    const [first] = elements;
    if (!first) return [];
    if (numberOf(first) !== undefined) return [squareOf(value, parameters)];
    return elements.flatMap((element) => {
      if (!isNested(element)) {
        throw new CommandError(16804, 'location object expected, location array not in correct format');
      }
      return elementsOf(element).length === 0 ? [] : [squareOf(element, parameters)];
    });
  });
}

function squareOf(value: BsonValue, parameters: TwoDParameters): BsonValue {
  const [first, second] = elementsOf(value);
  if (!second) throw new CommandError(13068, 'geo field only has 1 element');
  const x = numberOf(first);
  const y = numberOf(second);
  if (x === undefined || y === undefined) {
    throw new CommandError(13026, "geo values must be 'legacy coordinate pairs' for 2d indexes");
  }
  return geoHashOf([x, y], parameters, 13027);
}
