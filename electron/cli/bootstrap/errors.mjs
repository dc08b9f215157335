/** A set-up step that cannot go on: its message is for a person, and is all that is shown of it. */
export class SetupError extends Error {
  /**
   * @param {string} message what is wrong and what to do about it
   * @param {number} [exitCode]
   */
  constructor(message, exitCode = 1) {
    super(message);
    this.name = 'SetupError';
    this.exitCode = exitCode;
  }
}
