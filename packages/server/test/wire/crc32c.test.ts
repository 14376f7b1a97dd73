import { expect, test } from 'vitest';
import { crc32c } from '../../src/wire/crc32c.ts';

// RFC 3720, appendix B.4, and the check value that catalogues of checksums give.
test.for([
  ['nothing', new Uint8Array(0), 0],
  ['the digits', new TextEncoder().encode('123456789'), 0xe3069283],
  ['32 zeros', new Uint8Array(32), 0x8a9136aa],
  ['32 ones', new Uint8Array(32).fill(0xff), 0x62a8ab43],
  ['0 to 31', Uint8Array.from({ length: 32 }, (_, index) => index), 0x46dd794e],
] as const)('%s', ([, bytes, checksum]) => {
  expect(crc32c(bytes)).toBe(checksum);
});

test('only as many bytes as asked for', () => {
  expect(crc32c(new TextEncoder().encode('123456789 and more'), 9)).toBe(0xe3069283);
});
