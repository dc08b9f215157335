// The copy buttons, and the section being read in the contents.
const copyStatus = document.getElementById('status');

for (const button of document.querySelectorAll('button.copy')) {
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.closest('figure').querySelector('code').textContent);
    button.textContent = 'Copied';
    copyStatus.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
      copyStatus.textContent = '';
    }, 1500);
  });
}

const links = new Map(
  [...document.querySelectorAll('nav ol a')].map((link) => [link.getAttribute('href').slice(1), link]),
);
const headings = [...document.querySelectorAll('main h2')];
const mark = () => {
  const read = headings.findLast((heading) => heading.getBoundingClientRect().top < 120) ?? headings[0];
  for (const [id, link] of links) {
    if (id === read.id) link.setAttribute('aria-current', 'true');
    else link.removeAttribute('aria-current');
  }
};
addEventListener('scroll', mark, { passive: true });
mark();
