"""What must not leave unseen: links off the allow-list, secrets, data of others, orders to machines (HW4, HW5, HD8)."""
