// Runs where the browser processes sound. Sends the microphone's samples as 16-bit PCM, a tenth of a second at a time.
class Microphone extends AudioWorkletProcessor {
  constructor() {
    super();
    this.part = new Int16Array(Math.round(sampleRate / 10));
    this.length = 0;
  }

  process([[channel = []]]) {
    for (const sample of channel) {
      this.part[this.length++] = Math.round(Math.max(-1, Math.min(1, sample)) * 0x7fff);
      if (this.length < this.part.length) continue;
      this.port.postMessage(this.part);
      this.length = 0;
    }
    return true;
  }
}
registerProcessor('microphone', Microphone);
