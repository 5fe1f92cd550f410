"""What flows share: who pays and who is paid, amounts, postings of held money, wire shapes."""
