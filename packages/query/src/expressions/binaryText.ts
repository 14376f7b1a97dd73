/** Binary data as text, and back, in the formats of `$convert`. Upstream: evaluate_convert.cpp, base64.cpp, hex.cpp, uuid.cpp. */
import { formatUuid, readUtf8, toHex } from '@replsim/protocol';
import { fromJs } from '../values.ts';

/** The formats by name; `auto` is a UUID's for a UUID, and base64 for all else. */
export const binaryFormats: ReadonlySet<string> = new Set(['auto', 'base64', 'base64url', 'hex', 'utf8', 'uuid']);

const UUID_SUBTYPE = 4;
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** @returns undefined if the data are not what the format is for */
export function binaryText(data: Uint8Array, subtype: number, format: string): string | undefined {
  const isUuid = subtype === UUID_SUBTYPE && data.length === 16;
  switch (format) {
    case 'auto':
      return isUuid ? formatUuid(data) : base64(data);
    case 'base64':
      return base64(data);
    case 'base64url':
      return base64(data).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    case 'hex':
      return toHex(data).toUpperCase();
    case 'utf8':
      return utf8(data);
    default:
      return isUuid ? formatUuid(data) : undefined;
  }
}

/** @param raw the bytes of the text. @returns undefined if they are not of the format */
export function binaryOf(text: string, raw: Uint8Array, format: string): Uint8Array | undefined {
  switch (format) {
    case 'base64':
      return /^(?:[\w+/]{4})*(?:[\w+/]{2}==|[\w+/]{3}=)?$/.test(text) ? ofBase64(text) : undefined;
    case 'base64url':
      return /^(?:[\w-]{4})*(?:[\w-]{2}(?:==)?|[\w-]{3}=?)?$/.test(text)
        ? ofBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
        : undefined;
    case 'hex':
      return ofHex(text);
    case 'utf8':
      return utf8(raw) === undefined ? undefined : raw;
    case 'uuid':
      return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? ofHex(text.replaceAll('-', '')) : undefined;
    default:
      return undefined;
  }
}

/** Undefined for what has an odd number of digits, or others. */
export function ofHex(text: string): Uint8Array | undefined {
  if (!/^(?:[\da-f]{2})*$/i.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function base64(data: Uint8Array): string {
  let text = '';
  for (let i = 0; i < data.length; i += 3) {
    const bits = ((data[i] ?? 0) << 16) | ((data[i + 1] ?? 0) << 8) | (data[i + 2] ?? 0);
    for (let digit = 0; digit < 4; digit++) {
      text += i + digit > data.length ? '=' : BASE64[(bits >> (18 - 6 * digit)) & 63];
    }
  }
  return text;
}

function ofBase64(text: string): Uint8Array | undefined {
  const digits = text.replaceAll('=', '');
  const data = new Uint8Array(Math.floor((digits.length * 3) / 4));
  let bits = 0;
  let at = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = BASE64.indexOf(digits[i] ?? '');
    // `\w` has an underscore, too.
    if (digit < 0) return undefined;
    bits = ((bits << 6) | digit) & 0xffffff;
    if (i % 4 > 0) data[at++] = (bits >> (6 - 2 * (i % 4))) & 0xff;
  }
  return data;
}

/** Undefined for what is no UTF-8, which does not come out of its text as it went in. */
function utf8(data: Uint8Array): string | undefined {
  const text = readUtf8(data, 0, data.length);
  const { bytes, offset, size } = fromJs(text);
  const again = bytes.subarray(offset + 4, offset + size - 1);
  return again.length === data.length && again.every((byte, i) => byte === data[i]) ? text : undefined;
}
