for (const button of document.querySelectorAll('.filter button')) button.addEventListener('click', () => {
  for (const other of document.querySelectorAll('.filter button')) other.setAttribute('aria-pressed', other === button);
  const wanted = button.dataset.show;
  for (const row of document.querySelectorAll('#questions tbody tr'))
    row.hidden = wanted !== 'all' && row.dataset.outcome !== wanted;
});
