/** Formats that are a header and 16-bit big-endian samples; ffmpeg reads them, but does not write them. */

const samplesOf = (speech: Float32Array): Buffer =>
  Buffer.from(Int16Array.from(speech, (sample) => sample * 32_767).buffer).swap16();

/** NIST SPHERE, of speech corpora. */
export const nistSphere = (speech: Float32Array, rate: number): Buffer => {
  const samples = samplesOf(speech);
  const fields = `sample_count -i ${speech.length}\nsample_rate -i ${rate}\nchannel_count -i 1\nsample_n_bytes -i 2`;
  const coding = 'sample_sig_bits -i 16\nsample_coding -s3 pcm\nsample_byte_format -s2 10';
  const header = `NIST_1A\n   1024\n${fields}\n${coding}\nend_head\n`.padEnd(1024);
  return Buffer.concat([Buffer.from(header), samples]);
};

/** Audio Visual Research, of the Atari ST. */
export const avr = (speech: Float32Array, rate: number): Buffer => {
  const header = Buffer.alloc(128);
  header.write('2BIT');
  header.writeUInt16BE(16, 14);
  header.writeUInt16BE(0xffff, 16);
  header.writeUInt32BE(rate, 22);
  header.writeUInt32BE(speech.length, 26);
  return Buffer.concat([header, samplesOf(speech)]);
};

/** IFF 8SVX, of the Amiga: 8 bits. */
export const iff8svx = (speech: Float32Array, rate: number): Buffer => {
  const samples = Buffer.from(Int8Array.from(speech, (sample) => sample * 127).buffer);
  const chunk = (name: string, content: Buffer): Buffer => {
    const head = Buffer.from(`${name}0000`);
    head.writeUInt32BE(content.length, 4);
    return Buffer.concat([head, content]);
  };
  const voice = Buffer.alloc(20);
  voice.writeUInt32BE(samples.length);
  voice.writeUInt16BE(rate, 12);
  voice[14] = 1;
  voice.writeUInt32BE(0x10000, 16);
  const content = Buffer.concat([Buffer.from('8SVX'), chunk('VHDR', voice), chunk('BODY', samples)]);
  return chunk('FORM', content);
};
