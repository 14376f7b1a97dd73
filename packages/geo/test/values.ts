import { type BsonValue, encodeDocument, encodeName, findField } from '@replsim/protocol';

/** One value as it lies in a document. */
export function val(value: unknown): BsonValue {
  return findField(encodeDocument({ v: value }), encodeName('v'))!;
}

export const point = (lng: number, lat: number) => ({ type: 'Point', coordinates: [lng, lat] });
