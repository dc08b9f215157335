/** Builders of answers, so that handlers read: call one service, answer. */
type Headers = Readonly<Record<string, string>>;

const answer =
  <const S extends number>(status: S) =>
  <B>(body: B, headers: Headers = {}) => ({ status, body, headers });

export const ok = answer(200);
export const created = answer(201);

/** The envelope of most answers: `{success: true, data}`. */
export const success = <T>(data: T) => ({ success: true as const, data });
