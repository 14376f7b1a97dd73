import * as z from 'zod';
import { answerShape } from './answer.ts';
import { measuredAnswerShape } from './measuredAnswer.ts';
import { anyQuestionShape } from './question.ts';

/** More runs than anybody waits for at one worker. */
const LARGEST = 100_000;

/** What lies in a queue: a range of the runs of a question, which is named by its id and lies beside the queue once. */
export const taskShape = z
  .strictObject({ question: z.string().regex(/^[0-9a-f]{64}$/), from: z.int().min(0), to: z.int().min(1) })
  .refine(({ from, to }) => from < to && to - from <= LARGEST, { error: `a range has 1 to ${LARGEST} runs` });

export type Task = z.infer<typeof taskShape>;

/** What a worker says of it: an answer, or why there can be none, whoever is asked. */
export const taskReplyShape = z.union([
  z.strictObject({ answer: answerShape }),
  z.strictObject({ measured: measuredAnswerShape }),
  z.strictObject({ refused: z.string().max(10_000) }),
]);

export type TaskReply = z.infer<typeof taskReplyShape>;

/** The question beside the queue, and how many runs it has. */
export const queuedQuestionShape = z.strictObject({
  question: anyQuestionShape,
  of: z.int().min(1),
  /** Whether it stays when nobody waits for it. */
  isDetached: z.boolean(),
});

export type QueuedQuestion = z.infer<typeof queuedQuestionShape>;
