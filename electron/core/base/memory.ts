/**
 * Frees the memory of large values that no one reads again, at once; all views of it become empty. Left to the garbage
 * collector, which seldom runs for so few objects, it grows until a full collection stops the process.
 */
export const freeMemory = ({ buffer }: ArrayBufferView): void => {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
};
