"""What a team knows and what its mail claims: cutting, comparing, ranking and who may see it, without any I/O (P104-P107)."""
