import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseClientFinal, parseClientFirst } from '../../src/scram/messages.ts';

test.for([
  ['n,,n=user,r=abcd', 'user', 'abcd', 'n=user,r=abcd'],
  ['y,,n=user,r=abcd', 'user', 'abcd', 'n=user,r=abcd'],
  ['n,a=user,n=user,r=abcd', 'user', 'abcd', 'n=user,r=abcd'],
  ['n,,n=a=2Cb=3Dc,r=abcd', 'a,b=c', 'abcd', 'n=a=2Cb=3Dc,r=abcd'],
  ['n,,n=a=b=,r=abcd', 'a=b=', 'abcd', 'n=a=b=,r=abcd'], // nothing else about "=" is an error
  ['n,,n=a=3D2Cb,r=abcd', 'a=2Cb', 'abcd', 'n=a=3D2Cb,r=abcd'],
  ['n,,,n=user,,r=abcd,x=1', 'user', 'abcd', ',n=user,,r=abcd,x=1'], // empty fields are skipped, but signed
] as const)('%s is a first message', ([message, user, nonce, bare]) => {
  expect(parseClientFirst(message)).toEqual({ user, nonce, bare });
});

test.for([
  ['', /number of arguments .* got 1 expected at least 3/],
  ['n,', /got 2 expected/],
  ['p=tls-unique,,n=user,r=abcd', /channel binding/],
  ['x,,n=user,r=abcd', /prefix: x/],
  [',,n=user,r=abcd', /prefix: /],
  ['n,user,n=user,r=abcd', /authzid: user/],
  ['n,,m=ext,n=user,r=abcd', /mandatory extensions/],
  ['n,,r=abcd', /user name: r=abcd/],
  ['n,,n=,r=abcd', /user name: n=/],
  ['n,,', /user name: /],
  ['n,a=other,n=user,r=abcd', /user name user does not match authzid other/],
  ['n,,n=user', /client nonce: /],
  ['n,,n=user,r=abc', /client nonce: r=abc/],
  ['n,,n=user,x=1,r=abcd', /client nonce: x=1/],
] as const)('%s is none', ([message, reason]) => {
  expect(() => parseClientFirst(message)).toThrow(reason);
  expect(() => parseClientFirst(message)).toThrow(expect.objectContaining({ code: 2 }));
});

test.for([
  ['c=biws,r=abcdefgh,p=AAAA', 'abcdefgh', 'AAAA', 'c=biws,r=abcdefgh'],
  ['c=biws,r=abcdefgh,x=1,p=AAAA', 'abcdefgh', 'AAAA', 'c=biws,r=abcdefgh,x=1'],
  ['c=anything,r=abcdefgh,p=AA=', 'abcdefgh', 'AA=', 'c=anything,r=abcdefgh'],
] as const)('%s is a final message', ([message, nonce, proof, withoutProof]) => {
  expect(parseClientFinal(message)).toEqual({ nonce, proof, withoutProof });
});

test.for([
  ['', /number of arguments/],
  ['p=AAAA', /number of arguments/],
  ['c=biws,p=AAAA', /number of arguments/],
  ['c=,r=abcd,p=AAAA', /channel binding: c=/],
  ['x=1,r=abcd,p=AAAA', /channel binding: x=1/],
  ['c=biws,r=abc,p=AAAA', /client nonce: r=abc/],
  ['c=biws,x=1,p=AAAA', /client nonce: x=1/],
  ['c=biws,r=abcd,p=', /ClientProof: p=/],
  ['c=biws,r=abcd,AAAA', /ClientProof: AAAA/],
  ['c=biws,r=abcd,p=AAAA,x=1', /ClientProof: x=1/],
] as const)('%s is none, either', ([message, reason]) => {
  expect(() => parseClientFinal(message)).toThrow(reason);
  expect(() => parseClientFinal(message)).toThrow(expect.objectContaining({ code: 2 }));
});

test('whatever is sent is either read or refused with BadValue', () => {
  const piece = fc.constantFrom(
    'n',
    'y',
    ',',
    'n=',
    'r=',
    'a=',
    'm=',
    'p=',
    'c=',
    '=2C',
    '=',
    '\0',
    '\ufffd',
    'user',
    'abcd',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      for (const parse of [parseClientFirst, parseClientFinal]) {
        try {
          parse(pieces.join(''));
        } catch (error) {
          expect(error).toMatchObject({ code: 2 });
        }
      }
    }),
  );
});
