import { refused, works } from './row.ts';

const articles = [
  { _id: 1, title: 'coffee', about: 'x' },
  { _id: 2, title: 'Coffee Shopping', about: 'x' },
  { _id: 3, title: 'Baking a cake', about: 'y' },
  { _id: 4, title: 'Café con leche', about: 'y' },
];
const score = { $meta: 'textScore' } as const;
const ids = (found: readonly { readonly _id: unknown }[]) => found.map(({ _id }) => _id);

export const words = [
  works(
    '`text` indexes: several fields, `weights`, `default_language`, `language_override`, the wildcard `$**`',
    async ({ things, db }) => {
      await things.createIndex({ title: 'text', about: 'text' }, { weights: { title: 5 }, default_language: 'es' });
      await db.collection('all').createIndex({ '$**': 'text' }, { language_override: 'idioma' });
      const [, spec] = await things.indexes();
      const [, wild] = await db.collection('all').indexes();
      return [spec?.key, spec?.weights, spec?.default_language, spec?.textIndexVersion, wild?.weights];
    },
    [{ _fts: 'text', _ftsx: 1 }, { about: 1, title: 5 }, 'es', 3, { '$**': 1 }],
    'one per collection; versions 1 and 2 are refused (115)',
  ),
  works(
    'a text index with other fields before the words (each needs an equality) and after them',
    async ({ things }) => {
      await things.createIndex({ about: 1, title: 'text', n: 1 });
      await things.insertMany(articles);
      return ids(await things.find({ about: 'x', $text: { $search: 'coffee' } }).toArray());
    },
    [1, 2],
  ),
  works(
    '`$text` with words, phrases, negations, `$language`, `$caseSensitive`, `$diacriticSensitive`',
    async ({ things }) => {
      await things.createIndex({ title: 'text' });
      await things.insertMany(articles);
      const filters = [
        { $text: { $search: 'coffees baked' } },
        { $text: { $search: '"coffee shop"' } },
        { $text: { $search: 'coffee -shop' } },
        { $text: { $search: 'leches', $language: 'spanish' } },
        { $text: { $search: 'Coffee', $caseSensitive: true } },
        { $text: { $search: 'cafe', $diacriticSensitive: true } },
      ];
      return Promise.all(filters.map(async (filter) => ids(await things.find(filter).sort({ _id: 1 }).toArray())));
    },
    [[1, 2, 3], [2], [1], [4], [2], []],
    'stems and stop words of mongod’s fifteen languages',
  ),
  works(
    "`{ $meta: 'textScore' }` in projections, sorts and pipelines",
    async ({ things }) => {
      await things.createIndex({ title: 'text' });
      await things.insertMany(articles);
      const found = await things
        .find({ $text: { $search: 'coffee cake' } })
        .project({ score })
        .sort({ score, _id: 1 })
        .toArray();
      const stages = [
        { $match: { $text: { $search: 'coffee cake' } } },
        { $group: { _id: '$about', best: { $max: score } } },
      ];
      const best = await things.aggregate([...stages, { $sort: { _id: 1 } }]).toArray();
      return [found.map((each) => [each._id, each.score]), best];
    },
    [[[1, 1], [2, 0.75], [3, 0.75]], [{ _id: 'x', best: 1 }, { _id: 'y', best: 0.75 }]], // biome-ignore format: one line
  ),
  works(
    '`$text` in `count`, `distinct`, `updateMany`, `deleteMany`, `findOneAndUpdate`, transactions',
    async ({ client, things }) => {
      await things.createIndex({ title: 'text' });
      await things.insertMany(articles);
      const said = [
        await things.countDocuments({ $text: { $search: 'coffee' } }),
        await things.distinct('about', { $text: { $search: 'coffee' } }),
      ];
      await client.withSession((session) =>
        session.withTransaction(() =>
          things.updateMany({ $text: { $search: 'coffee' } }, { $set: { hot: true } }, { session }),
        ),
      );
      const after = await things.findOneAndUpdate({ $text: { $search: 'cake' } }, { $set: { title: 'pie' } });
      const { deletedCount } = await things.deleteMany({ $text: { $search: 'coffee' } });
      return [...said, after?._id, deletedCount, await things.countDocuments({ $text: { $search: 'cake' } })];
    },
    [2, ['x'], 3, 2, 0],
  ),
  refused('`$text` without a text index', 27, 'IndexNotFound', /text index required for \$text query/, ({ things }) =>
    things.find({ $text: { $search: 'x' } }).toArray(),
  ),
  refused(
    '`$text` after the first stage',
    17313,
    'Location17313',
    /only allowed as the first pipeline stage/,
    ({ things }) => things.aggregate([{ $limit: 1 }, { $match: { $text: { $search: 'x' } } }]).toArray(),
  ),
  refused('`$text` with a `hint`', 2, 'BadValue', /text and hint not allowed/, async ({ things }) => {
    await things.createIndex({ title: 'text' });
    return things
      .find({ $text: { $search: 'x' } })
      .hint('title_text')
      .toArray();
  }),
  refused(
    '`$text` without an equality on the fields before the words',
    291,
    'NoQueryExecutionPlans',
    /equality predicates/,
    async ({ things }) => {
      await things.createIndex({ about: 1, title: 'text' });
      return things.find({ $text: { $search: 'x' } }).toArray();
    },
  ),
  refused('a text score without a text search', 40218, 'Location40218', /text score metadata/, ({ things }) =>
    things.find().sort({ score }).toArray(),
  ),
  refused(
    'a document in an unknown language',
    17262,
    'Location17262',
    /language override unsupported/,
    async ({ things }) => {
      await things.insertOne({ _id: 1, title: 'x', language: 'klingon' });
      return things.createIndex({ title: 'text' });
    },
  ),
  refused('a second text index', 67, 'CannotCreateIndex', /only one text index/, async ({ things }) => {
    await things.createIndex({ title: 'text' });
    return things.createIndex({ about: 1, title: 'text' });
  }),
];
