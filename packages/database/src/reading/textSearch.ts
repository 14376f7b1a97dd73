import { resolveView, type Search, searchNotFirst } from '@replsim/pipeline';
import { CommandError } from '@replsim/protocol';
import type { CollectionView, ReadView } from '@replsim/storage';
import { checkSearch, parseSearch, scoreOf, type TextRules } from '@replsim/text';

/**
 * How `$text` searches a namespace. Errors of a search: those of `parseSearch`, IndexNotFound 27 without a text index, Location17313
 * behind the stages of a view. Upstream: extensions_callback_real.cpp, expression_text.cpp.
 */
export function searchOf(view: ReadView, ns: string): Search {
  return (operand, scores) => {
    checkSearch(operand);
    const resolved = resolveView(view, ns);
    if (resolved && resolved.pipeline.length > 0) throw searchNotFirst();
    const search = parseSearch(operand, rulesOf(view.collection(resolved?.viewOn ?? ns)));
    return (document) => {
      const score = scoreOf(search, document);
      if (score === undefined) return false;
      scores.note(document, score);
      return true;
    };
  };
}

/** A search of which only the form is looked at, where there need be no collection yet. */
export const anySearch: Search = (operand) => {
  checkSearch(operand);
  return () => true;
};

function rulesOf(collection: CollectionView | undefined): TextRules {
  const rules = collection?.indexes.find(({ spec }) => spec.kind === 'text')?.spec.text;
  if (!rules) throw new CommandError('IndexNotFound', 'text index required for $text query');
  return rules;
}
