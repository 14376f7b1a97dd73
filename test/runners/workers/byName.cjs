const { default: Sequencer } = require('@jest/test-sequencer');

module.exports = class ByName extends Sequencer {
  sort(tests) {
    return [...tests].sort((a, b) => (a.path < b.path ? -1 : 1));
  }
};
