export type Snippet = { readonly language: 'curl' | 'JavaScript' | 'Python'; readonly code: string };

const EXAMPLE_AUDIO_URL = 'https://example.com/interview.mp3';

/** Examples of a transcription for this server's address. */
export const createSnippets = (baseUrl: string): Snippet[] => [
  {
    language: 'curl',
    code: `curl ${baseUrl}/v1/transcript \\
  -H "Authorization: Bearer $EARSHOT_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"audio_url": "${EXAMPLE_AUDIO_URL}", "diarize": true, "wait_until_complete": true}'`,
  },
  {
    language: 'JavaScript',
    code: `const response = await fetch('${baseUrl}/v1/transcript', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.EARSHOT_API_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify({
    audio_url: '${EXAMPLE_AUDIO_URL}',
    diarize: true,
    wait_until_complete: true,
  }),
});
const { text, segments } = await response.json();`,
  },
  {
    language: 'Python',
    code: `import os, requests

response = requests.post(
    "${baseUrl}/v1/transcript",
    headers={"Authorization": f"Bearer {os.environ['EARSHOT_API_KEY']}"},
    json={
        "audio_url": "${EXAMPLE_AUDIO_URL}",
        "diarize": True,
        "wait_until_complete": True,
    },
)
print(response.json()["text"])`,
  },
];
