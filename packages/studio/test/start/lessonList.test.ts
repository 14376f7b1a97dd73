import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { firstSentence } from '../../src/core/edit/firstSentence.ts';
import { lessons } from '../../src/start/lessonList.ts';

test('what is read of a lesson is what YAML says', () => {
  expect(lessons().length).toBeGreaterThan(10);
  for (const { id, title, about, text } of lessons()) {
    const { name, description } = parse(text);
    expect({ title, about }, id).toEqual({ title: name, about: firstSentence(description) });
  }
});
