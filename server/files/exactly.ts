import { Transform } from "node:stream";

/** A stream that has ended before, or goes on after, the bytes that were announced. */
export class WrongSize extends Error {
  override name = "WrongSize";
}

/**
 * Passes on a stream of so many bytes, and fails at its end if it had another number of them. What is too much is read
 * and dropped: to cut a request off would cut off its answer, too.
 */
export function exactly(size: number): Transform {
  let came = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const isWithin = came + chunk.length <= size;
      came += chunk.length;
      if (isWithin) done(null, chunk);
      else done();
    },
    flush(done) {
      if (came === size) done();
      else done(new WrongSize(`${came} bytes came and not ${size}`));
    },
  });
}
