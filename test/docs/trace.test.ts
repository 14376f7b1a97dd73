import { TRACE_VERSION } from '@replsim/protocol';
import { describe, expect, test } from 'vitest';
import { prose, read } from './markdown.ts';
import { eventsOf, type Fields, fieldsOfInterface } from './traceTypes.ts';

// docs/trace.md describes each event of the trace, each of its fields, and nothing else.

const events = new Map(
  ['RunEvent', 'StreamTrace', 'ClientTrace', 'LessonTrace', 'MemberTrace'].flatMap((union) => [...eventsOf(union)]),
);
const [described = '', shapes = ''] = prose('docs/trace.md').split('\n## Shapes\n');

/** What stands below a heading of its own, by that heading. */
function sectionsOf(text: string): Map<string, string> {
  const sections = new Map<string, string>();
  for (const section of text.split(/^###? /m)) {
    const [, name, body] = /^`(\w+)`\n([\s\S]*)$/.exec(section) ?? [];
    if (name !== undefined) sections.set(name, body!);
  }
  return sections;
}

/** Fields of which something is said, and their types. */
function fieldsIn(section: string): Fields {
  return new Map([...section.matchAll(/^- `(\w+\??)`: `([^`]+)`\. \S/gm)].map(([, name, type]) => [name!, type!]));
}

test('the page has every event and no other', () => {
  expect(events.size).toBeGreaterThan(60);
  expect([...sectionsOf(described).keys()].sort()).toEqual([...events.keys()].sort());
});

describe('each event is described', () => {
  const sections = sectionsOf(described);
  test.for([...events])('%s', ([name, fields]) => {
    const section = sections.get(name) ?? '';
    expect(section).toMatch(/^\n[A-Z`].*\./);
    expect(fieldsIn(section)).toEqual(fields);
    expect(section.match(/^- /gm)?.length ?? 0).toBe(fields.size);
  });
});

test.for([...sectionsOf(shapes)])('%s has these fields', ([name, section]) => {
  expect(fieldsIn(section)).toEqual(fieldsOfInterface(name));
});

test('each type that an event has is described', () => {
  const types = [...events.values()].flatMap((fields) => [...fields.values()]).join(' ');
  const named = new Set(types.replaceAll(/'\w+'/g, '').match(/\b[A-Z]\w+/g));
  const told = new Set([...shapes.matchAll(/^(?:### |- )`([A-Z]\w+)`/gm)].map(([, name]) => name!));
  expect([...named].filter((name) => !told.has(name))).toEqual([]);
});

test('the version is in the changelog', () => {
  expect(read('CHANGELOG.md')).toContain(`Traces, version ${TRACE_VERSION}:`);
});
