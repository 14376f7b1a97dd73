import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileRegex } from '../../src/index.ts';
import { compileBacktracking } from '../../src/regex/backtracking.ts';
import { parsePattern } from '../../src/regex/parsePattern.ts';
import pcre2 from './pcre2.json' with { type: 'json' };

describe('patterns', () => {
  test.for<[pattern: string, options: string, text: string, found: string | undefined]>([
    ['^abc', '', 'abcd', 'abc'],
    ['a\\-b', '', 'xa-b', 'a-b'],
    ['A', 'i', 'xa', 'a'],
    ['É', 'i', 'é', 'é'],
    ['^b', 'm', 'a\nb', 'b'],
    ['^b', '', 'a\nb', undefined],
    ['a.b', '', 'a\nb', undefined],
    ['a.b', 's', 'a\nb', 'a\nb'],
    // A carriage return and U+2028 end lines in JavaScript, and not in PCRE.
    ['a.b', '', 'a\rb', 'a\rb'],
    ['a.b', '', 'a\u2028b', 'a\u2028b'],
    ['^b', 'm', 'a\rb', undefined],
    // PCRE's white space is ASCII, with the vertical tab.
    ['a\\sb', '', 'a\vb', 'a\vb'],
    ['a\\sb', '', 'a\u00a0b', undefined],
    ['a[\\s]b', '', 'a\vb', 'a\vb'],
    ['a\\Sb', '', 'a\u00a0b', 'a\u00a0b'],
    ['a b # c', 'x', 'ab', 'ab'],
    ['[ #]', 'x', '#', '#'],
    ['(?i)BC', '', 'abcd', 'bc'],
    ['a(?i:B)c', '', 'abc', 'abc'],
    ['\\Aa\\z', '', 'a', 'a'],
    ['\\Qa.b\\E', '', 'a.b', 'a.b'],
    ['[[:alpha:]]+', '', '1ab2', 'ab'],
    ['\\p{Greek}+', '', 'aαβ', 'αβ'],
    ['(?<year>\\d{4})', '', 'in 2025', '2025'],
    ['(?P<year>\\d{4})', '', 'in 2025', '2025'],
    ['😀', '', 'x😀', '😀'],
    ['^.$', '', '😀', '😀'],
    ['a{2,3}?', '', 'aaa', 'aa'],
    ['a|ab', '', 'ab', 'a'],
    // What only a search step by step can do.
    ['^(?=.*\\d)(?=.*[a-z]).{4,}$', '', 'abc1', 'abc1'],
    ['^(?=.*\\d)(?=.*[a-z]).{4,}$', '', 'abcd', undefined],
    ['^((?!bad).)*$', '', 'all good', 'all good'],
    ['^((?!bad).)*$', '', 'so bad it is', undefined],
    ['(?<=\\$)\\d+', '', 'costs $42', '42'],
    ['(?<!\\$)\\b\\d+', '', '$42 or 17', '17'],
    ['(?<=ab|c)x', '', 'abx', 'x'],
    ['(\\w+) \\1', '', 'in the the end', 'the the'],
    ['(a)\\1', 'i', 'aA', 'aA'],
    ['(?<q>[\'"]).*?\\k<q>', '', 'say "it\'s" so', '"it\'s"'],
    ['(?=a).', '', 'ba', 'a'],
    ['(?=(a|ab))\\1c', '', 'abc', undefined],
    ['(?:(a)|b)*\\1', '', 'aba', 'aba'],
    ['^(?!x)b', 'm', 'a\nb', 'b'],
    ['(?!x)😀$', '', 'a😀', '😀'],
    ['(?!y)(?:a?)*b', '', 'aab', 'aab'],
    ['(?!y)a{2}(b{0,2})c', '', 'aabbc', 'aabbc'],
    ['(?!y)\\s', '', '\u00a0', undefined],
  ])('/%s/%s on %j', ([pattern, options, text, found]) => {
    const regex = compileRegex(pattern, options);
    expect(regex.exec(text, 0)?.text).toBe(found);
    expect(regex.test(text)).toBe(found !== undefined);
  });

  test.for<[pattern: string, options: string, code: number]>([
    ['(', '', 51091],
    ['(?R)', '', 51091],
    ['\\X', '', 51091],
    ['(?|(a)|(b))', '', 51091],
    ['(?<=a*)b', '', 51091],
    ['[b-a]', '', 51091],
    ['a'.repeat(32_765), '', 51091],
    ['a', 'g', 51108],
  ])('%#: refused with %i', ([pattern, options, code]) => {
    expect(() => compileRegex(pattern, options)).toThrow(expect.objectContaining({ code }));
  });

  test('groups, those that took no part too, and searches from a position on', () => {
    for (const regex of [compileRegex('(a)|(b)', ''), compileBacktracking(parsePattern('(a)|(b)', ''))]) {
      expect(regex.exec('xab', 0)).toEqual({ index: 1, text: 'a', captures: ['a', undefined] });
      expect(regex.exec('xab', 2)).toEqual({ index: 2, text: 'b', captures: [undefined, 'b'] });
      expect(regex.exec('xab', 3)).toBeUndefined();
    }
    expect(compileRegex('b', '').exec('abab', 2)).toMatchObject({ index: 3 });
    expect(compileRegex('^a', '').exec('aa', 1)).toBeUndefined();
  });
});

/** Patterns that JavaScript, RE2 and PCRE read alike, and none of which takes long. */
const atom = fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\d', '\\w', '\\b', '^', '$', 'é');
const pattern = fc.letrec<{ alternatives: string; sequence: string; item: string }>((tie) => ({
  alternatives: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('|')),
  sequence: fc.array(tie('item'), { maxLength: 4 }).map((parts) => parts.join('')),
  item: fc.oneof(
    { weight: 4, arbitrary: atom },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('a', 'b', '.', '[ab]'), fc.constantFrom('*', '+', '?', '*?', '{1,2}'))
        .map((parts) => parts.join('')),
    },
    { weight: 1, arbitrary: tie('alternatives').map((inner) => `(${inner})`) },
  ),
})).alternatives;
const subject = fc
  .array(fc.constantFrom('a', 'b', 'c', 'A', '1', ' ', '\n', 'é', '😀'), { maxLength: 8 })
  .map((parts) => parts.join(''))
  // `$` of PCRE stands before a last newline too.
  .filter((text) => !text.endsWith('\n'));
const options = fc.constantFrom('', 'i', 's', 'is');

// What libpcre2 10.42 answers with PCRE2_UTF, as mongod compiles; `error` for a pattern that it refuses.
test.for(pcre2.patterns as [pattern: string, options: string, answers: 'error' | (string | null)[]][])(
  '/%s/%s is what it is to PCRE2',
  ([pattern, options, answers]) => {
    if (answers === 'error') {
      expect(() => compileRegex(pattern, options)).toThrow(expect.objectContaining({ code: 51091 }));
      return;
    }
    const regex = compileRegex(pattern, options);
    const found = pcre2.texts.map((text) => {
      const match = regex.exec(text, 0);
      if (match === undefined) return null;
      return JSON.stringify([
        [...text.slice(0, match.index)].length,
        match.text,
        ...match.captures.map((each) => each ?? null),
      ]);
    });
    expect(found).toEqual(answers);
  },
);

test('on what they share, all engines find what JavaScript finds', () => {
  fc.assert(
    fc.property(pattern, options, subject, (source, flags, text) => {
      const expected = new RegExp(source, `${flags}u`).exec(text);
      const found = expected ? { index: expected.index, text: expected[0] } : undefined;
      const { index, text: match } = compileRegex(source, flags).exec(text, 0) ?? {};
      expect(found).toEqual(match === undefined ? undefined : { index, text: match });
      const stepped = compileBacktracking(parsePattern(source, flags)).exec(text, 0);
      expect(stepped && { index: stepped.index, text: stepped.text }).toEqual(found);
    }),
    { numRuns: 2000 },
  );
});

describe('no pattern holds whoever runs it', () => {
  test.for<[pattern: string, text: string]>([
    ['^(a+)+$', `${'a'.repeat(100_000)}b`],
    ['(x+x+)+y', 'x'.repeat(100_000)],
    ['^(a|aa)+$', `${'a'.repeat(100_000)}b`],
    ['(.*a){20}b', 'a'.repeat(20_000)],
  ])('/%s/ is answered', ([source, text]) => {
    expect(compileRegex(source, '').test(text)).toBe(false);
  });

  test.for<[pattern: string, text: string]>([
    ['^(?!x)(a+)+$', `${'a'.repeat(100)}b`],
    ['^(a+)+\\1$', `${'a'.repeat(100)}b`],
    ['(?=(a+)+$)x', `${'a'.repeat(100)}b`],
  ])('/%s/ is given up', ([source, text]) => {
    const regex = compileRegex(source, '');
    expect(() => regex.test(text)).toThrow(expect.objectContaining({ code: 51156 }));
    // What it has used up does not come back with the next text, but for what that text adds.
    expect(() => regex.test(text)).toThrow(expect.objectContaining({ code: 51156 }));
  });

  test('a long text is searched to its end, whatever was searched before', () => {
    const regex = compileRegex('(\\w)\\1z', '');
    for (let i = 0; i < 20; i++) expect(regex.test('ab '.repeat(50_000))).toBe(false);
  });
});
