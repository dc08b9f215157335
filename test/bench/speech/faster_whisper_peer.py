"""Recognizes the files whose paths it reads, a JSON string a line, with faster-whisper at its defaults; answers a line of JSON each.

    python3 faster_whisper_peer.py MODEL_FOLDER THREADS
"""
import json
import resource
import sys
import time

from faster_whisper import WhisperModel

model = WhisperModel(sys.argv[1], device="cpu", compute_type="int8", cpu_threads=int(sys.argv[2]))


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


for line in sys.stdin:
    path = json.loads(line)
    start, used = time.monotonic(), cpu()
    segments, info = model.transcribe(path, word_timestamps=True)
    segments = list(segments)
    answer = {
        "text": "".join(segment.text for segment in segments),
        "language": info.language,
        "words": [
            {"word": word.word, "start": word.start, "end": word.end, "confidence": word.probability}
            for segment in segments
            for word in segment.words
        ],
        "segments": [{"start": segment.start, "end": segment.end} for segment in segments],
        "cpu": cpu() - used,
        "wall": time.monotonic() - start,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(answer), flush=True)
