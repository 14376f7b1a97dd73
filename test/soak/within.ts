/**
 * What a promise comes to, or an error if it comes to nothing in time.
 * @param late called with what stands still, before the error is thrown
 */
export async function within<Result>(
  ms: number,
  what: string,
  done: Promise<Result>,
  late: (text: string) => void = () => {},
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const text = `${what} has not ended within ${ms / 1000} s`;
      late(text);
      reject(new Error(text));
    }, ms);
  });
  try {
    return await Promise.race([done, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
