import { type BsonValue, CommandError } from '@replsim/protocol';
import type { Filter, SearchCompiler, Variables } from '@replsim/query';
import { DocumentScores } from './documentScores.ts';
import { OperationVariables } from './operationVariables.ts';

/** What `$text` looks through: compiles its operand, and notes the score of each document that passes. */
export type Search = (operand: BsonValue, scores: DocumentScores) => Filter;

/** A search as filters take it, its scores kept with the variables of the operation. */
export function searchCompiler(search: Search | undefined, variables: Variables): SearchCompiler | undefined {
  if (!search) return undefined;
  return (operand) => search(operand, scoresIn(variables));
}

function scoresIn(variables: Variables): DocumentScores {
  if (!(variables instanceof OperationVariables)) return new DocumentScores();
  variables.textScores ??= new DocumentScores();
  return variables.textScores;
}

/** Upstream: document_source_match.cpp, and pipeline.cpp, validateTopLevelPipeline. */
export function searchNotFirst(): CommandError {
  return new CommandError(17313, '$match with $text is only allowed as the first pipeline stage');
}
