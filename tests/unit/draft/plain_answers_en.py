"""Invented English answers as people write them, with what we know and the mail they answer."""

ENGLISH_ANSWERS: tuple[tuple[str, str, str], ...] = (
    (
        "Password resets: use the link 'Forgot password' on the sign-in page. The mail arrives within a "
        "few minutes. Check the spam folder. Links are valid for 24 hours.",
        "Hi, I can't log in to my Brightboard account since yesterday. Can you reset my password? Thanks, Oliver",
        "Hi Oliver,\n\n"
        "Sorry you're having trouble signing in to Brightboard. You can reset your password yourself: on "
        'the sign-in page, click "Forgot password" and follow the steps in the email. It usually arrives '
        "within a few minutes; if it doesn't, please check your spam folder. The link stays valid for 24 "
        "hours.\n\n"
        "Let me know if that doesn't work.\n\n"
        "Best regards,\n"
        "Brightboard Support",
    ),
    (
        "Pro plan: up to 25 users, 100 GB storage, 19 EUR per user and month. Team plan: up to 10 users, "
        "50 GB, 12 EUR. Upgrades take effect immediately; the price is prorated.",
        "We are 14 people. Which plan do we need, and can we switch later? Kind regards, Hanna Lind, Nordvik AB",
        "Dear Hanna,\n\n"
        "Thank you for your interest. With 14 people, the Pro plan is the right one for you: it covers up"
        " to 25 users and includes 100 GB of storage for 19 EUR per user and month. The Team plan is "
        "limited to 10 users.\n\n"
        "You can switch at any time; upgrades take effect immediately and the price is prorated.\n\n"
        "Kind regards",
    ),
    (
        "We ship to all EU countries. Standard shipping takes 3-5 business days and costs 5.90 €. Orders "
        "above 80 € ship free. Express is available in Germany and Austria only.",
        "Do you ship to Portugal? How long does it take? Maria",
        "Hello Maria,\n\n"
        "yes, we do ship to Portugal. Standard shipping usually takes 3 to 5 business days and costs "
        "€5.90. If your order is above €80, shipping is free.\n\n"
        "Express shipping is unfortunately only available in Germany and Austria.\n\n"
        "Have a great day!",
    ),
    (
        "Invoices can be downloaded under Account > Billing. The VAT ID can be added there; it appears on"
        " all future invoices. Past invoices cannot be changed.",
        "Please add our VAT ID DE811234567 to invoice INV-2026-0045. Regards, Accounting, Holzmann Möbel",
        "Hello,\n\n"
        "thank you for your message. You can add the VAT ID DE811234567 yourself under Account > Billing,"
        " and it will appear on all future invoices. Unfortunately we cannot change past invoices such as"
        " INV-2026-0045.\n\n"
        "Best regards",
    ),
    (
        "The app supports iOS 15 or newer and Android 9 or newer. Known issue: sync stops on Android 14 "
        "when battery saver is on. Workaround: exclude the app from battery optimisation. A fix is "
        "planned for version 4.8.",
        "The sync on my Pixel 8 does not work anymore! Android 14. -- Ben",
        "Hi Ben,\n\n"
        "I'm sorry for the trouble. On Android 14, sync stops when battery saver is on. As a workaround, "
        "please exclude the app from battery optimisation. A fix is planned for version 4.8.\n\n"
        "If the problem persists, just reply to this email.\n\n"
        "Thanks for your patience!",
    ),
    (
        "Feature list: calendar import (ICS) is available on all plans. Recurring events are on the "
        "roadmap, no date. Zapier integration exists for Pro.",
        "Will you support recurring events soon? And is there a Zapier integration? Lee",
        "Hi Lee,\n\n"
        "Thanks for reaching out! Recurring events are on our roadmap, but I can't give you a date. The "
        "Zapier integration is available on the Pro plan, and calendar import (ICS) works on every plan.\n\n"
        "Cheers",
    ),
    (
        "Complaints about delivery: ask for photo and order number. Damaged goods are replaced free of "
        "charge if reported within 7 days.",
        "My lamp came broken, order no. 5521. Sam",
        "Dear Sam,\n\n"
        "I'm very sorry that your lamp arrived damaged. Damaged goods are replaced free of charge if "
        "reported within 7 days. Could you please send us a photo of the lamp? We already have your order"
        " number, 5521.\n\n"
        "Sincerely",
    ),
    (
        "Data export: Settings > Export. CSV and JSON. Large exports take up to 2 hours and are sent by email.",
        "How can I export my data? Jo",
        "Hi Jo,\n\n"
        "Go to Settings > Export and choose CSV or JSON. A large export can take up to two hours; we will"
        " send it to you by email once it's ready.\n\n"
        "Best,\n"
        "The Support Team",
    ),
    (
        "Team rooms hold 6 people, the Atrium holds 40. Bookings up to 3 months ahead. Cancellation is "
        "free until 48 hours before.",
        "Can I book the Atrium for 35 people on 12 May? Regards, Ines Roth",
        "Dear Ines,\n\n"
        "yes, the Atrium holds 40 people, so 35 people will fit. Bookings are possible up to 3 months "
        "ahead, and cancellation is free until 48 hours before. Please book the Atrium online for 12 May.\n\n"
        "Kind regards",
    ),
    (
        "Membership can be paused once per year for up to 3 months. The pause starts on the first of the "
        "following month. Request it in the member portal or at the front desk.",
        "Hi, I broke my leg and can't come for a while. Can I pause? Member no. 40077. Dana",
        "Hi Dana,\n\n"
        "Oh no, get well soon! You can pause your membership once per year for up to 3 months. The pause "
        "starts on the first of the following month. You can request it in the member portal or at the "
        "front desk.\n\n"
        "All the best",
    ),
    (
        "Warranty claims need a photo of the serial number plate and the invoice. Repairs take about 10 "
        "working days. Loan devices are not available.",
        "My blender BX-900 stopped working. Do I get a loan device? Best, Ralf Timm",
        "Dear Mr Timm,\n\n"
        "I am sorry to hear that your BX-900 stopped working. For a warranty claim, please send us a "
        "photo of the serial number plate and the invoice. A repair takes about 10 working days. "
        "Unfortunately, loan devices are not available.\n\n"
        "Kind regards,\n"
        "Customer Care",
    ),
    (
        "Gift cards are valid for 3 years from purchase and cannot be exchanged for cash. The balance can"
        " be checked at www.giftdesk.example.com/balance.",
        "How long is my gift card valid? Code is on the card.",
        "Hello,\n\n"
        "your gift card is valid for three years from the date of purchase. You can check the balance at "
        "www.giftdesk.example.com/balance. Please note that gift cards cannot be exchanged for cash.\n\n"
        "Best wishes",
    ),
    (
        "Two-factor authentication: Settings, Security, Enable. Recovery codes are shown once. Lost "
        "phone: identity check with ID document, takes 1-2 days.",
        "I lost my phone and cannot log in. User: bkessler. Help!",
        "Hi,\n\n"
        "I understand how stressful that is. If you lost your phone, we need to verify your identity with"
        " an ID document; this takes 1-2 days. If you still have your recovery codes, you can use one of "
        "them to sign in right away.\n\n"
        "Best regards",
    ),
    (
        "Course materials are in English. Certificates are issued after passing the final test with at "
        "least 70 %. The test can be repeated twice.",
        "I got 65% in the final test. What now? Thanks, Yuki",
        "Dear Yuki,\n\n"
        "Thank you for your message. To receive the certificate you need at least 70 % in the final test."
        " The good news is that you can repeat the test twice.\n\n"
        "Good luck!",
    ),
    (
        "API: rate limit 100 requests per minute per key; HTTP 429 with Retry-After. Higher limits on the Scale plan.",
        "We keep getting 429 errors. Our key ends with 7f3a. Can you raise the limit?",
        "Hello,\n\n"
        "the API is limited to 100 requests per minute per key; above that it answers with HTTP 429 and a"
        " Retry-After header. Higher limits are available on the Scale plan.\n\n"
        "Kind regards",
    ),
    (
        "The annual report 2025 is available in the investor section. Printed copies can be ordered until 30 June.",
        "Where do I find the annual report? George Addo",
        "Dear Mr Addo,\n\n"
        "The annual report 2025 is available in the investor section of our website. If you prefer a "
        "printed copy, you can order one until June 30.\n\n"
        "Yours sincerely",
    ),
    (
        "Volunteers: minimum age 18, next briefing on Thursday, 11 June 2026, 18:30, at the community "
        "house. No registration needed.",
        "I would like to help. What do I have to do? Fiona",
        "Hi Fiona,\n\n"
        "That's wonderful! The next briefing is on Thursday, June 11, 2026, at 6:30 pm at the community "
        "house. You don't need to register; the minimum age is 18.\n\n"
        "See you there!",
    ),
    (
        "Bikes can be rented from 8 am to 8 pm. Deposit 50 €, returned on drop-off. Helmets are included."
        " A bike costs 22 € per day.",
        "Do I need to bring a helmet? And how much is a bike for a day? Kim",
        "Hi Kim,\n\n"
        "No need to bring a helmet, they are included. A bike costs 22 € per day, and there is a deposit "
        "of 50 €, which you get back when you drop off the bike. We are open from 8 am to 8 pm.\n\n"
        "Enjoy the ride!",
    ),
    (
        "Photo prints: 10x15 cm costs 0.19 €, 13x18 cm costs 0.35 €. Minimum order 10 prints. Production "
        "time 2 working days.",
        "What do prints in 13x18 cost? Fredrik",
        "Hello Fredrik,\n\n"
        "a print in 13x18 cm costs 0.35 €. The minimum order is 10 prints and production takes 2 working "
        "days.\n\n"
        "Best regards",
    ),
    (
        "Tenants: report damage via the form at portal.homebase.example.org/report. Emergencies: call +44"
        " 20 7946 0018. Keys are handed over on the first working day of the month.",
        "The heating in flat 4B is broken. Nadine Cole",
        "Dear Ms Cole,\n\n"
        "Thank you for letting us know about the heating in flat 4B. Please report the damage via the "
        "form at portal.homebase.example.org/report. In an emergency you can call +44 20 7946 0018.\n\n"
        "Kind regards",
    ),
    (
        "The webinar recording is available for 30 days after the event for all registered participants "
        "under My Events.",
        "I missed yesterday's webinar. Is there a recording? Registration WB-2231. Oskar",
        "Hi Oskar,\n\n"
        "Yes, there is a recording! It is available under My Events for 30 days after the event. Just "
        "sign in with the account you used for registration WB-2231.\n\n"
        "Best,\n"
        "The Events Team",
    ),
    (
        "Refurbished laptops come with 12 months warranty. Battery capacity is at least 85 %. Returns within 14 days.",
        "Is the battery of the refurbished laptop new? Piotr Zieliński",
        "Hello Piotr,\n\n"
        "The battery is not necessarily new, but its capacity is at least 85 %. Every refurbished laptop "
        "comes with a 12-month warranty, and you can return it within 14 days if you are not happy with "
        "it.\n\n"
        "Kind regards",
    ),
)
